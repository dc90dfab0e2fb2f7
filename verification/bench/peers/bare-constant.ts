import { fastify } from 'fastify';

/**
 * Lower bound for handing out a key: one Fastify route that reads a JSON body and answers `ANSWER` with the headers in `HEADERS` (JSON). It
 * has no origins, limits, card data guard, metrics or Nest.
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
