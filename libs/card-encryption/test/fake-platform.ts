import { constants, generateKeyPairSync, privateDecrypt, randomUUID, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Card, TokenizeOptions } from '../src/index.js';

export const CARD: Card = {
  cardCode: '4970101200040016',
  cardValidityDate: '12-49',
  cardCvv: '739',
  selectedBrand: 'visa',
};
export const API_KEY_ID = '00000000-0000-4000-8000-00000000000a';

/** The tokenizer's answer to a card that it could decrypt. */
export const TOKEN_RECORD = {
  EXECCODE: '0000',
  MESSAGE: 'Success',
  HFTOKEN: '3f2b1c9e-5a70-4c55-9d0e-1f6f5f4f3f2f',
  CARDTYPE: 'visa',
  CARDVALIDITYDATE: '12-49',
  CARDCODE: 'XXXXXXXXXXXX0016',
  SELECTEDBRAND: 'visa',
  BINTYPE: 'debit',
  BINBRANDS: [
    { BRAND: 'cb', SERVICETYPE: 'debit' },
    { BRAND: 'visa', SERVICETYPE: null },
  ],
  BINNETWORK: 'VISA',
};

interface SeenRequest {
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

type Responder = (body: string, response: ServerResponse) => void;

/** Key service and tokenizer on one free port, for any origin. Decrypts with Node's RSA instead of the browser's. */
export async function startFakePlatform() {
  const requests: SeenRequest[] = [];
  const plaintexts: string[] = [];
  let key = newKey();
  let rotations = 0;
  const responders: Record<string, Responder> = {
    '/v1/cse-keys': (_body, response) => {
      answer(response, { encryptionKeyId: key.id, encryptionPublicKey: spki(key.publicKey) });
      if (rotations > 0) key = newKey();
      rotations -= 1;
    },
    '/tokenizer': (body, response) => {
      const { ENCRYPTEDDATA, ENCRYPTIONKEYID } = JSON.parse(body) as Record<string, string>;
      if (ENCRYPTIONKEYID !== key.id)
        return answer(response, { EXECCODE: '1002', MESSAGE: 'Invalid parameter: ENCRYPTIONKEYID' });
      plaintexts.push(decrypt(ENCRYPTEDDATA ?? '', key.privateKey));
      answer(response, TOKEN_RECORD);
    },
  };

  const server = createServer((request, response) => {
    const path = request.url ?? '';
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('access-control-allow-headers', 'content-type');
    if (request.method === 'OPTIONS') return void response.writeHead(204).end();
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts).toString();
      requests.push({ path, headers: request.headers, body });
      const responder = responders[path];
      if (responder) responder(body, response);
      else response.writeHead(404, { 'content-type': 'text/html' }).end('<p>Not found');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const options: TokenizeOptions = {
    apiKeyId: API_KEY_ID,
    cseKeysUrl: `${url}/v1/cse-keys`,
    tokenizerUrl: `${url}/tokenizer`,
  };

  return {
    url,
    options,
    requests,
    /** Decrypted texts. */
    plaintexts,
    bodiesTo: (path: string) =>
      requests.filter((request) => request.path === path).map(({ body }) => JSON.parse(body) as object),
    keyId: () => key.id,
    /** Replaces the next `count` keys before they can be used; only the newest is accepted. */
    rotateAfterAnswers: (count: number) => void (rotations = count),
    respond: (path: '/v1/cse-keys' | '/tokenizer', responder: Responder) => void (responders[path] = responder),
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

export type FakePlatform = Awaited<ReturnType<typeof startFakePlatform>>;

export function answer(response: ServerResponse, body: unknown, status = 200): void {
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(typeof body === 'string' ? body : JSON.stringify(body));
}

export function decrypt(ciphertext: string, privateKey: KeyObject): string {
  const padding = { key: privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' };
  return privateDecrypt(padding, Buffer.from(ciphertext, 'base64')).toString('utf8');
}

export function spki(publicKey: KeyObject): string {
  return publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
}

/** Pairs are reused, because creating one takes a tenth of a second. */
const pairs: { publicKey: KeyObject; privateKey: KeyObject }[] = [];
const PAIRS = 3;
let taken = 0;

/** Returns a pair other than the last one. */
function newKey() {
  const pair = (pairs[taken++ % PAIRS] ??= generateKeyPairSync('rsa', { modulusLength: 2048 }));
  return { id: `key-${randomUUID()}`, ...pair };
}
