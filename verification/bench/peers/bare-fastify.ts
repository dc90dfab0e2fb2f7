import { parse } from 'node:querystring';
import { fastify, type FastifyReply } from 'fastify';
import { openWebhook, type Parameters } from './webhook.js';

/** Lower bound for a webhook: one Fastify route without Nest. */
export async function run(): Promise<void> {
  const webhook = await openWebhook();

  async function take(parameters: Parameters, reply: FastifyReply): Promise<FastifyReply> {
    const isStored = await webhook(parameters);
    return reply
      .code(isStored ? 200 : 403)
      .type('text/plain')
      .send(isStored ? 'OK' : 'no');
  }

  const app = fastify();
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) => {
    done(null, parse(String(body)));
  });
  app.get('/health', () => 'OK');
  app.get('/notifications', ({ query }, reply) => take(query as Parameters, reply));
  app.post('/notifications', ({ body }, reply) => take(body as Parameters, reply));
  await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
}
