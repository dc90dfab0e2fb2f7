import { PROTOCOL_VERSION, TOPICS, topicName } from '@tranche/contracts';
import { signed, type Parameters } from '@tranche/platform';
import type { Bench, Context } from './bench.js';
import { MERCHANT } from './commands.js';
import { duelRow, loadOf, startOurs, startPeer, takeTurns } from './duel.js';
import type { Row } from './report.js';
import { merchantsFile, Stage } from './stage.js';

const COUNT = 30_000;
/** Notifications are signed before the clock runs, and then sent repeatedly: signing would take the contestants' processor time. */
const DIFFERENT = 10_000;
const path = '/notifications';

/** Measures notifications that are verified, stored with acks=all and answered OK, against an ordinary Nest controller on Fastify. */
export const ingest: Bench = {
  name: 'ingest',
  parts: [
    { name: 'get', run: (context) => measured(context, 'GET') },
    { name: 'post', run: (context) => measured(context, 'POST') },
  ],
};

async function measured(context: Context, method: 'GET' | 'POST'): Promise<Row[]> {
  const { brokers, redisUrl, log, commands: count = COUNT } = context;
  await using stage = await Stage.open(context);
  const kafka = { KAFKA_BROKERS: brokers, KAFKA_TOPIC_PREFIX: stage.prefix };
  const ours = { ...kafka, REDIS_URL: redisUrl, MERCHANTS_FILE: merchantsFile() };
  const peer = { ...kafka, TOPIC: topicName(stage.prefix, TOPICS.notifications) };
  const requests = Array.from({ length: Math.min(count, DIFFERENT) }, (_, n) => requestOf(method, n));
  const load = loadOf(count, { requests, right: 'OK' });
  const taken = await takeTurns({
    starts: [() => startOurs('notification-ingest', ours), () => startPeer('nest-fastify', peer)],
    async round(contestant) {
      const before = await stage.records(TOPICS.notifications);
      const rate = await load(contestant);
      const stored = (await stage.records(TOPICS.notifications)) - before;
      if (stored < count) throw new Error(`${contestant.name} answered OK ${count} times, but stored ${stored}`);
      return rate;
    },
    ...{ log, lives: 2 },
  });
  return [duelRow(taken, method.toLowerCase(), 'notifications/s', { atLeast: 0.8, times: 'nest-fastify' })];
}

function requestOf(method: 'GET' | 'POST', n: number) {
  const form = new URLSearchParams(notification(n).map(([name, value]): [string, string] => [name, value])).toString();
  const headers = { 'user-agent': 'bench', accept: '*/*' };
  if (method === 'GET') return { method, path: `${path}?${form}`, headers };
  return { method, path, headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' }, body: form };
}

export function notification(n: number): Parameters {
  const parameters: Parameters = [
    ['IDENTIFIER', MERCHANT.identifier],
    ['OPERATIONTYPE', 'capture'],
    ['TRANSACTIONID', `T${String(n).padStart(10, '0')}`],
    ['CLIENTIDENT', `customer-${n}`],
    ['CLIENTEMAIL', 'jeanne@example.com'],
    ['ORDERID', `order-${n}`],
    ['AMOUNT', String(10_000 + (n % 50_000))],
    ['VERSION', PROTOCOL_VERSION],
    ['LANGUAGE', 'fr'],
    ['CURRENCY', MERCHANT.currency],
    ['EXECCODE', '0000'],
    ['MESSAGE', 'The transaction has been accepted.'],
    ['DESCRIPTOR', 'BENCH SHOP'],
    ['EXTRADATA', `basket=${n}`],
  ];
  return signed(parameters, MERCHANT.accountKey);
}
