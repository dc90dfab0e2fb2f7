import { generateKeyPairSync } from 'node:crypto';
import { sendJson } from '../ask.js';
import { startAnswering } from './answering-api.js';
import type { Bench, Context } from './bench.js';
import { duelRow, loadOf, startOurs, startPeer, takeTurns, type Contestant } from './duel.js';
import type { Row } from './report.js';
import { merchantsFile, Stage } from './stage.js';

const COUNT = 60_000;
const NO_LIMIT = '1000000000';
const API_KEY_ID = '3f2b1c9e-5a70-4c55-9d0e-1f6f5f4f3f2f';
const ORIGIN = 'https://shop.example';
const path = '/v1/cse-keys';
const body = JSON.stringify({ apiKeyId: API_KEY_ID });
/** Node.js and Fastify write these headers themselves, so the peer need not copy them. */
const OF_HTTP = new Set(['connection', 'keep-alive', 'date', 'content-length', 'content-type']);

/** The headers that a browser sends from a shop's page. */
const OF_BROWSER = {
  'sec-ch-ua-platform': '"Windows"',
  'User-Agent':
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  'sec-ch-ua': '"Chromium";v="142", "Google Chrome";v="142", "Not_A Brand";v="99"',
  'Content-Type': 'application/json',
  'sec-ch-ua-mobile': '?0',
  Accept: '*/*',
  Origin: ORIGIN,
  'Sec-Fetch-Site': 'cross-site',
  'Sec-Fetch-Mode': 'cors',
  'Sec-Fetch-Dest': 'empty',
  Referer: `${ORIGIN}/`,
  'Accept-Encoding': 'gzip, deflate, br, zstd',
  'Accept-Language': 'fr-FR,fr;q=0.9,en-US;q=0.8,en;q=0.7',
};

/** Measures encryption keys that are handed to pages, against an ordinary Nest controller on Fastify with a constant answer. */
export const keys: Bench = {
  name: 'keys',
  parts: [{ name: 'held', run: held }],
};

async function held(context: Context): Promise<Row[]> {
  const { brokers, redisUrl, log, commands: count = COUNT } = context;
  await using stage = await Stage.open(context);
  const answer = keyAnswer();
  using provider = await startAnswering(() => answer);
  /** It counts requests, and its limits are so high that it refuses none. */
  const env = {
    CSE_KEYS_URL: provider.url,
    CSE_ORIGINS: ORIGIN,
    REQUESTS_PER_MINUTE_PER_ADDRESS: NO_LIMIT,
    REQUESTS_PER_MINUTE_PER_ORIGIN: NO_LIMIT,
    KAFKA_BROKERS: brokers,
    KAFKA_TOPIC_PREFIX: stage.prefix,
    REDIS_URL: redisUrl,
    REDIS_KEY_PREFIX: stage.prefix,
    MERCHANTS_FILE: merchantsFile({ apiKeys: [{ id: API_KEY_ID, key: 'api-key-of-the-bench' }] }),
  };
  const requests = [{ method: 'POST' as const, path, headers: OF_BROWSER, body }];
  const taken = await takeTurns({
    starts: [() => startOurs('cse-token-service', env), ([ours]) => startConstant(ours!)],
    round: loadOf(count, { requests, right: answer.replace(/[^\w"]/g, '\\$&') }),
    ...{ log, lives: 5 },
  });
  return [duelRow(taken, 'held', 'keys/s', { atLeast: 0.8, times: 'nest-constant' })];
}

function keyAnswer(): string {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const encryptionPublicKey = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  return JSON.stringify({ encryptionKeyId: 'key-of-the-bench', encryptionPublicKey });
}

/** The peer answers the same bytes and headers as our service. */
async function startConstant(ours: Contestant): Promise<Contestant> {
  const { headers, text } = await askOnce(ours);
  const copied = Object.fromEntries(headers.filter(([header]) => !OF_HTTP.has(header)));
  const peer = await startPeer('nest-constant', { ANSWER: text, HEADERS: JSON.stringify(copied) });
  const said = await askOnce(peer);
  const [size, wanted] = [JSON.stringify(said).length, JSON.stringify({ headers, text }).length];
  if (said.text !== text || size !== wanted) throw new Error(`The peer answers ${size} bytes, ours ${wanted}`);
  return peer;
}

async function askOnce({ process }: Contestant): Promise<{ headers: [string, string][]; text: string }> {
  const response = await sendJson(process.url + path, { body: { apiKeyId: API_KEY_ID }, headers: { origin: ORIGIN } });
  const text = await response.text();
  if (!response.ok) throw new Error(`answered ${response.status}: ${text}`);
  return { headers: [...response.headers], text };
}
