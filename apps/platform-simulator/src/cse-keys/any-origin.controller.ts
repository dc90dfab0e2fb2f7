import type { FastifyInstance } from 'fastify';

/** The page of any merchant calls this path from the cardholder's browser. */
export function allowAnyOrigin(scope: FastifyInstance, path: string): void {
  scope.addHook('onRequest', (_request, reply, next) => {
    reply.header('access-control-allow-origin', '*');
    next();
  });
  scope.options(path, (_request, reply) =>
    reply
      .code(204)
      .headers({
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': 'content-type, accept',
        'access-control-max-age': '600',
      })
      .send(),
  );
}
