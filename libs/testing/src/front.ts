import { TcpProxy } from './tcp-proxy.js';

export interface Front {
  readonly url: string;
  /** New connections go to this address; open ones remain with the earlier one. */
  leadTo(url: string): void;
  close(): Promise<void>;
}

/**
 * An address that is known before its service starts, and stays when another process replaces it, as a DNS name does. Closes connections
 * until `leadTo`.
 */
export async function openFront({ protocol = 'http:', host = '127.0.0.1', port }: FrontOptions = {}): Promise<Front> {
  let target = '';
  const proxy = await TcpProxy.listen(() => target, { host, ...(port !== undefined && { port }) });
  return {
    url: `${protocol}//${host}:${proxy.port}`,
    leadTo: (url) => void (target = url),
    close: () => proxy.close(),
  };
}

interface FrontOptions {
  protocol?: string;
  host?: string;
  port?: number;
}
