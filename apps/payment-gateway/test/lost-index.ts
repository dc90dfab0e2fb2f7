import { createClient } from 'redis';
import { infrastructure } from '@tranche/testing';

/** Deletes the whole index of a stack. Returns the number of deleted keys. */
export async function deleteIndex(prefix: string): Promise<number> {
  const redis = await createClient({ url: infrastructure().redisUrl }).connect();
  const keys = await redis.keys(`${prefix}gateway:*`);
  if (keys.length > 0) await redis.del(keys);
  await redis.close();
  return keys.length;
}
