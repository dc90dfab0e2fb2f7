import type { FastifyInstance } from 'fastify';

/** Sets CORS headers for any origin: the pages of all merchants call this path from the browser. */
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
