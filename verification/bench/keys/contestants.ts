import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from '../bench.js';
import { onFreePort, startChild } from '../children.js';
import { MERCHANT } from '../commands.js';
import { loadRound, type Contestant, type Round } from '../duel.js';
import { IMAGE_NODE_OPTIONS } from '../stage.js';
import { API_KEY_ID, ORIGIN } from './request.js';

const NO_LIMIT = '1000000000';
/** Node.js and Fastify write these headers themselves, so the peer need not copy them. */
const OF_HTTP = new Set(['connection', 'keep-alive', 'date', 'content-length', 'content-type']);

export function keyAnswer(): string {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const encryptionPublicKey = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  return JSON.stringify({ encryptionKeyId: 'key-of-the-bench', encryptionPublicKey });
}

export function startKeyProvider(answer: string): Promise<{ url: string; server: Server }> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end(answer));
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () =>
      resolve({ server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/cseKeys` }),
    );
  });
}

/**
 * Starts the shipped cse-token-service with Redis and Kafka. It counts requests, and its limits are so high that it refuses none.
 * `KEYS_NODE_OPTIONS` (separated by blanks) goes to its Node: `--cpu-prof --cpu-prof-dir=…`.
 */
export function startCseTokenService(
  { brokers, redisUrl }: Context,
  keysUrl: string,
  prefix: string,
): Promise<Contestant> {
  return onFreePort((port) =>
    onFreePort(async (managementPort) => {
      const child = await startChild({
        main: ['apps/cse-token-service/dist/main.js'],
        env: {
          BIND_ADDRESS: '127.0.0.1',
          PORT: String(port),
          MANAGEMENT_PORT: String(managementPort),
          CSE_KEYS_URL: keysUrl,
          CSE_ORIGINS: ORIGIN,
          REQUESTS_PER_MINUTE_PER_ADDRESS: NO_LIMIT,
          REQUESTS_PER_MINUTE_PER_ORIGIN: NO_LIMIT,
          KAFKA_BROKERS: brokers,
          KAFKA_TOPIC_PREFIX: prefix,
          REDIS_URL: redisUrl,
          REDIS_KEY_PREFIX: prefix,
          MERCHANTS_FILE: merchantsFile(),
          LOG_LEVEL: 'info',
        },
        readyUrl: `http://127.0.0.1:${managementPort}/health/ready`,
        nodeOptions: (process.env.KEYS_NODE_OPTIONS ?? IMAGE_NODE_OPTIONS).split(' ').filter(Boolean),
      });
      return { name: 'ours', url: `http://127.0.0.1:${port}/v1/cse-keys`, process: child };
    }),
  );
}

/** The peer answers the same bytes and headers as our service. */
export async function startConstant(name: 'nest-constant' | 'bare-constant', ours: Contestant): Promise<Contestant> {
  const { headers, text } = await askOnce(ours);
  const env = {
    ANSWER: text,
    HEADERS: JSON.stringify(Object.fromEntries(headers.filter(([name]) => !OF_HTTP.has(name)))),
  };
  return onFreePort(async (port) => {
    const child = await startChild({
      main: ['verification/dist/bench/peers/main.js', name],
      env: { ...env, PORT: String(port) },
      readyUrl: `http://127.0.0.1:${port}/health`,
      nodeOptions: IMAGE_NODE_OPTIONS.split(' '),
    });
    const peer = { name, url: `http://127.0.0.1:${port}/v1/cse-keys`, process: child };
    const said = await askOnce(peer);
    const [size, wanted] = [said, { headers, text }].map(
      (each) => JSON.stringify(each.headers).length + each.text.length,
    );
    if (said.text !== text || size !== wanted) throw new Error(`${peer.name} answers ${size} bytes, ours ${wanted}`);
    return peer;
  });
}

async function askOnce({ url }: Contestant): Promise<{ headers: [string, string][]; text: string }> {
  const body = JSON.stringify({ apiKeyId: API_KEY_ID });
  const response = await fetch(url, {
    method: 'POST',
    headers: { origin: ORIGIN, 'content-type': 'application/json' },
    body,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`answered ${response.status}: ${text}`);
  return { headers: [...response.headers], text };
}

export function round(contestant: Contestant, { count, answer }: { count: number; answer: string }): Promise<Round> {
  return loadRound(contestant, 'verification/dist/bench/keys/load.js', count, { ANSWER: answer });
}

function merchantsFile(): string {
  const file = join(mkdtempSync(join(tmpdir(), 'tranche-bench-')), 'merchants.json');
  writeFileSync(file, JSON.stringify([{ ...MERCHANT, apiKeys: [{ id: API_KEY_ID, key: 'api-key-of-the-bench' }] }]));
  return file;
}
