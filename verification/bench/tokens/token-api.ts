import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface TokenApi {
  url: string;
  close(): void;
}

/** Answers each call with another token. */
export async function startTokenApi(): Promise<TokenApi> {
  let calls = 0;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      grant(response, ++calls);
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function grant(response: ServerResponse, number: number): void {
  const lifetimeSeconds = 43_200;
  const issuedAtSeconds = 1_700_000_000;
  const claims = {
    iss: 'bench',
    jti: number,
    iat: issuedAtSeconds,
    exp: issuedAtSeconds + lifetimeSeconds,
    roles: 'r'.repeat(300),
  };
  const part = (content: unknown) => Buffer.from(JSON.stringify(content)).toString('base64url');
  // As long as an RS256 signature, so that the token has about a kilobyte.
  const token = [
    part({ alg: 'RS256', typ: 'JWT' }),
    part(claims),
    Buffer.alloc(256, number).toString('base64url'),
  ].join('.');
  const record = { access_token: token, expires_in: lifetimeSeconds, refresh_expires_in: 0, token_type: 'Bearer' };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(record));
}
