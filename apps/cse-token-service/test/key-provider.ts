import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface KeyRequestSeen {
  method?: string;
  path?: string;
  headers: IncomingMessage['headers'];
  body: string;
}

export interface KeyProvider {
  url: string;
  requests: KeyRequestSeen[];
  record: { encryptionKeyId: string; encryptionPublicKey: string };
  /** Answers the next requests (with the record). */
  answer: (response: ServerResponse) => void;
  close(): Promise<void>;
}

/** Keys are reused, because creating one takes a tenth of a second. */
const SOUND_KEYS = 4;
const soundKeys: Buffer[] = [];
let taken = 0;

/** Returns a key other than the last one; with arguments, a new one. */
export function rsaKey(modulusLength?: number, publicExponent?: number): Buffer {
  if (modulusLength !== undefined) return newRsaKey(modulusLength, publicExponent);
  return (soundKeys[taken++ % SOUND_KEYS] ??= newRsaKey(2048));
}

function newRsaKey(modulusLength: number, publicExponent = 65_537): Buffer {
  return generateKeyPairSync('rsa', { modulusLength, publicExponent }).publicKey.export({
    type: 'spki',
    format: 'der',
  });
}

/** A key with any modulus and exponent, created quickly without primes. */
export function keyOf(modulus: Buffer, exponent = 65_537): Buffer {
  const e = Buffer.from(exponent.toString(16).padStart(6, '0'), 'hex')
    .toString('base64url')
    .replace(/^AAAD$/, 'Aw');
  const jwk = { kty: 'RSA', n: modulus.toString('base64url'), e };
  return createPublicKey({ key: jwk, format: 'jwk' }).export({ type: 'spki', format: 'der' });
}

/** An odd number with exactly this many bits. */
export function modulusOf(bits: number): Buffer {
  const modulus = Buffer.alloc(Math.ceil(bits / 8), 0xa5);
  modulus[0] = (1 << ((bits - 1) % 8)) | ((modulus[0] ?? 0) & ((1 << ((bits - 1) % 8)) - 1));
  modulus[modulus.length - 1] = 0xa5;
  return modulus;
}

const SOUND_KEY = rsaKey().toString('base64');

/** A fake key provider on a free port. */
export async function startKeyProvider({ delayMs = 0 } = {}): Promise<KeyProvider> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      provider.requests.push({
        method: request.method,
        path: request.url,
        headers: request.headers,
        body: Buffer.concat(parts).toString(),
      });
      setTimeout(() => provider.answer(response), delayMs);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const provider: KeyProvider = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/cseKeys`,
    requests: [],
    record: { encryptionKeyId: 'key-1', encryptionPublicKey: SOUND_KEY },
    answer: (response) => answerJson(response, 200, provider.record),
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
  return provider;
}

export function answerJson(response: ServerResponse, status: number, body: unknown): void {
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(typeof body === 'string' ? body : JSON.stringify(body));
}
