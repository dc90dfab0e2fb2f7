import { fastify } from 'fastify';

/**
 * What handing out a key needs at least: one Fastify route that reads a JSON body and answers a constant, with the headers of ours. No
 * origins, no limits, no card data guard, no metric, no Nest. `ANSWER`: what it says; `HEADERS`: with which headers, JSON.
 */
export async function run(): Promise<void> {
  const answer = process.env.ANSWER ?? '';
  const headers = JSON.parse(process.env.HEADERS ?? '{}') as Record<string, string>;
  const app = fastify();
  app.get('/health', () => 'OK');
  app.post('/v1/cse-keys', async (_request, reply) =>
    reply.headers(headers).type('application/json; charset=utf-8').send(answer),
  );
  await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
}
