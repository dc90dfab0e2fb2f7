import { TOPICS, topicName } from '@tranche/contracts';
import type { Context } from '../bench.js';
import { onFreePort, startChild } from '../children.js';
import { loadRound, type Contestant, type Round } from '../duel.js';
import { IMAGE_NODE_OPTIONS, merchantsFile, type Stage } from '../stage.js';

/** Starts the shipped notification-ingest. `INGEST_NODE_OPTIONS` (separated by blanks) goes to its Node: `--cpu-prof --cpu-prof-dir=…`. */
export function startIngest({ brokers, redisUrl }: Context, { prefix }: Stage): Promise<Contestant> {
  return onFreePort((port) =>
    onFreePort(async (managementPort) => {
      const child = await startChild({
        main: ['apps/notification-ingest/dist/main.js'],
        env: {
          BIND_ADDRESS: '127.0.0.1',
          PORT: String(port),
          MANAGEMENT_PORT: String(managementPort),
          KAFKA_BROKERS: brokers,
          KAFKA_TOPIC_PREFIX: prefix,
          REDIS_URL: redisUrl,
          MERCHANTS_FILE: merchantsFile(),
          LOG_LEVEL: 'info',
        },
        readyUrl: `http://127.0.0.1:${managementPort}/health/ready`,
        nodeOptions: (process.env.INGEST_NODE_OPTIONS ?? IMAGE_NODE_OPTIONS).split(' ').filter(Boolean),
      });
      return { name: 'ours', url: `http://127.0.0.1:${port}/notifications`, process: child };
    }),
  );
}

/** The peer verifies HASH and writes the same record as ours, or only the `parameters`. */
export function startPeer(
  {
    name,
    peer,
    record = 'event',
  }: { name: string; peer: 'nest-webhook' | 'bare-fastify'; record?: 'event' | 'parameters' },
  { brokers }: Context,
  { prefix }: Stage,
): Promise<Contestant> {
  return onFreePort(async (port) => {
    const child = await startChild({
      main: ['verification/dist/bench/peers/main.js', peer],
      env: {
        PORT: String(port),
        KAFKA_BROKERS: brokers,
        TOPIC: topicName(prefix, TOPICS.notifications),
        RECORD: record,
      },
      readyUrl: `http://127.0.0.1:${port}/health`,
      nodeOptions: IMAGE_NODE_OPTIONS.split(' '),
    });
    return { name, url: `http://127.0.0.1:${port}/notifications`, process: child };
  });
}

export async function round(
  stage: Stage,
  contestant: Contestant,
  { count, method }: { count: number; method: string },
): Promise<Round> {
  const before = await stage.records(TOPICS.notifications);
  const figures = await loadRound(contestant, 'verification/dist/bench/ingest/load.js', count, { METHOD: method });
  const stored = (await stage.records(TOPICS.notifications)) - before;
  if (stored < count) throw new Error(`${contestant.name} answered OK ${count} times, but stored ${stored}`);
  return figures;
}
