import { fastify } from 'fastify';
import { createClient } from 'redis';

/**
 * Lower bound for handing out a token from Redis: one Fastify route with a JSON body that sends the value of one GET as it is. It checks no
 * caller, decrypts nothing, and has no metric and no log line. VALUE has the size of our answer.
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
