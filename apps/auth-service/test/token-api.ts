import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface TokenRequestSeen {
  method?: string;
  path?: string;
  headers: IncomingMessage['headers'];
  body: string;
}

export interface TokenApi {
  url: string;
  requests: TokenRequestSeen[];
  /** Issued tokens in order. */
  tokens: string[];
  /** Milliseconds before an answer. */
  delayMs: number;
  /** Answers the next requests (with a new token). */
  answer: (response: ServerResponse, request: TokenRequestSeen) => void;
  close(): Promise<void>;
}

export function jwt(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}.${Buffer.from('signature').toString('base64url')}`;
}

/** A fake token API on a free port. */
export async function startTokenApi({ expiresIn = 43_200, delayMs = 0 } = {}): Promise<TokenApi> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const seen = {
        method: request.method,
        path: request.url,
        headers: request.headers,
        body: Buffer.concat(parts).toString(),
      };
      api.requests.push(seen);
      setTimeout(() => api.answer(response, seen), api.delayMs);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const api: TokenApi = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    delayMs,
    tokens: [],
    answer: (response) => {
      const token = jwt({
        sub: 'demo',
        jti: `token-${api.tokens.length + 1}`,
        iat: 1_700_000_000,
        exp: 1_700_000_000 + expiresIn,
      });
      api.tokens.push(token);
      answerJson(response, 200, {
        access_token: token,
        expires_in: expiresIn,
        refresh_expires_in: 0,
        token_type: 'Bearer',
        'not-before-policy': 0,
        session_state: 's',
      });
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
  return api;
}

export function answerJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(typeof body === 'string' ? body : JSON.stringify(body));
}
