import { fastify } from 'fastify';
import { createClient } from 'redis';

/**
 * The least that hands out a token that Redis holds: one Fastify route with a JSON body, one GET, its value sent as it is. No caller is
 * checked, nothing is decrypted, no metric, no log line. The value (VALUE) has the size of our answer.
 */
export async function run(): Promise<void> {
  const key = process.env.REDIS_KEY ?? '';
  const redis = await createClient({ url: process.env.REDIS_URL ?? '' }).connect();
  await redis.set(key, process.env.VALUE ?? '', { expiration: { type: 'EX', value: 3_600 } });

  const app = fastify();
  app.get('/health', () => 'OK');
  app.post('/v1/tokens', async (_request, reply) => {
    const answer = await redis.get(key);
    return reply.type('application/json; charset=utf-8').header('cache-control', 'no-store').send(answer);
  });
  await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
}
