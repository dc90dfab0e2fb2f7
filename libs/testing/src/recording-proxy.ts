import { once } from 'node:events';
import { createServer, request as forward, type IncomingHttpHeaders } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

export interface RecordedRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  /** Bytes as latin1. */
  body: string;
}

export interface RecordingProxy {
  /** Setting `proxy` of a browser context; includes requests to this machine. */
  readonly settings: { server: string; bypass: string };
  readonly requests: RecordedRequest[];
  /** Everything that the browser sent, except for the matching requests: URLs, headers, bodies, tunnelled bytes. */
  sent(except?: (request: RecordedRequest) => boolean): string;
  close(): Promise<void>;
}

/** A proxy that records all traffic of a browser: page, worker, beacon or socket. */
export async function recordingProxy(): Promise<RecordingProxy> {
  const requests: RecordedRequest[] = [];
  const tunnelled: string[] = [];
  const sockets = new Set<Socket>();

  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    const recorded = { method, url, headers, body: '' };
    requests.push(recorded);
    request.on('data', (bytes: Buffer) => (recorded.body += bytes.toString('latin1')));
    const upstream = forward(url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(response);
      answer.on('error', () => response.destroy());
    });
    upstream.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()));
    response.on('close', () => upstream.destroy());
    request.pipe(upstream);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
  });
  // Browsers open a tunnel for WebSockets and for HTTPS.
  server.on('connect', (request, client: Socket, head: Buffer) => {
    const [host, port] = (request.url ?? '').split(':');
    tunnelled.push(`CONNECT ${request.url}`);
    const upstream = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.write(head);
      client.pipe(upstream).pipe(client);
    });
    upstream.on('error', () => client.destroy());
    client
      .on('data', (bytes: Buffer) => tunnelled.push(bytes.toString('latin1')))
      .on('close', () => upstream.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    settings: { server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bypass: '<-loopback>' },
    requests,
    sent: (except = () => false) =>
      [...requests.filter((request) => !except(request)).map(asText), ...tunnelled].join('\n'),
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function asText({ method, url, headers, body }: RecordedRequest): string {
  return `${method} ${url}\n${JSON.stringify(headers)}\n${body}`;
}
