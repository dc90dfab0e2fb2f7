import { TOPICS, topicName } from '@tranche/contracts';
import type { Bench, Context } from '../bench.js';
import { duelRows, loadOf, startOurs, startPeer, takeTurns } from '../duel.js';
import type { Row } from '../report.js';
import { merchantsFile, Stage } from '../stage.js';
import { notification } from './notifications.js';

const LIVES = 2;
const ROUNDS_PER_LIFE = 2;
const COUNT = 30_000;
const FLOOR = 0.8;
/** Notifications are signed before the clock runs, and then sent repeatedly: signing would take the contestants' processor time. */
const DIFFERENT = 10_000;
const path = '/notifications';

export const ingest: Bench = {
  name: 'ingest',
  about:
    'notifications verified, stored with acks=all and answered OK, 64 connections, against an ordinary Nest controller on Fastify',
  parts: [
    { name: 'get', run: (context) => measured(context, 'GET') },
    { name: 'post', run: (context) => measured(context, 'POST') },
  ],
};

async function measured(context: Context, method: 'GET' | 'POST'): Promise<Row[]> {
  const { brokers, redisUrl, commands: count = COUNT } = context;
  const stage = await Stage.open(context);
  const ofPeer = { KAFKA_BROKERS: brokers, TOPIC: topicName(stage.prefix, TOPICS.notifications) };
  const ours = {
    KAFKA_BROKERS: brokers,
    KAFKA_TOPIC_PREFIX: stage.prefix,
    REDIS_URL: redisUrl,
    MERCHANTS_FILE: merchantsFile(),
  };
  const load = loadOf(count, {
    requests: Array.from({ length: Math.min(count, DIFFERENT) }, (_, n) => requestOf(method, n)),
    right: 'OK',
  });
  try {
    const taken = await takeTurns({
      starts: [
        () => startOurs({ app: 'notification-ingest', path, optionsVariable: 'INGEST_NODE_OPTIONS', env: ours }),
        () => startPeer({ name: 'nest-fastify', peer: 'nest-webhook', path }, ofPeer),
      ],
      async round(contestant) {
        const before = await stage.records(TOPICS.notifications);
        const figures = await load(contestant);
        const stored = (await stage.records(TOPICS.notifications)) - before;
        if (stored < count) throw new Error(`${contestant.name} answered OK ${count} times, but stored ${stored}`);
        return figures;
      },
      log: context.log,
      lives: LIVES,
      roundsPerLife: ROUNDS_PER_LIFE,
    });
    return duelRows(taken, method.toLowerCase(), 'notifications/s', { atLeast: FLOOR, times: 'nest-fastify' });
  } finally {
    await stage.remove();
  }
}

function requestOf(method: 'GET' | 'POST', n: number) {
  const parameters = notification(n).map(([name, value]): [string, string] => [name, value]);
  const form = new URLSearchParams(parameters).toString();
  const headers = { 'user-agent': 'bench', accept: '*/*' };
  if (method === 'GET') return { method, path: `${path}?${form}`, headers };
  return { method, path, headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' }, body: form };
}
