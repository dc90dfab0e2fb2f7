import { silentLog, type Log } from '@tranche/runtime';

/** A log that ends a wait (`signal`) with the first warning that begins with `beginning`. */
export function listening(beginning: string): { log: Log; signal: AbortSignal; line: () => string } {
  const heard = new AbortController();
  let line = '';
  const warn = (_: unknown, message?: string) => {
    if (line !== '' || !message?.startsWith(beginning)) return;
    line = message;
    heard.abort(new Error('heard'));
  };
  return { log: { ...silentLog, warn }, signal: heard.signal, line: () => line };
}
