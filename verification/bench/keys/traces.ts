import { createClient } from 'redis';
import { startChild } from '../children.js';
import type { Infrastructure } from '../stage.js';

export async function removeTraces({ brokers, redisUrl }: Infrastructure, prefix: string): Promise<void> {
  const remover = await startChild({
    main: ['verification/dist/bench/peers/main.js', 'remove-topics'],
    env: { KAFKA_BROKERS: brokers, TOPIC_PREFIX: prefix },
  });
  const redis = await createClient({ url: redisUrl }).connect();
  for await (const names of redis.scanIterator({ MATCH: `${prefix}*`, COUNT: 1_000 }))
    if (names.length > 0) await redis.unlink(names);
  await redis.close();
  await remover.exited;
}
