import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Problem, sendProblem } from '@tranche/service-kit';

const PREFLIGHT_SECONDS = 600;

/** Comma-separated; each exactly as a browser sends it. No wildcards. */
export function readOrigins(text: string): string[] {
  return text.split(',').map((item) => {
    const origin = item.trim();
    if (!URL.canParse(origin) || new URL(origin).origin !== origin) {
      throw new Error(
        'has an entry that is not an origin. Use scheme://host or scheme://host:port, without a path, as in https://shop.example',
      );
    }
    return origin;
  });
}

/** CORS headers for an admitted origin; undefined for any other, and for none. */
export function corsHeaders(origin: string | undefined, origins: ReadonlySet<string>): Record<string, string> | undefined {
  if (origin === undefined || !origins.has(origin)) return undefined;
  return { 'access-control-allow-origin': origin, vary: 'Origin' };
}

const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': 'content-type',
  'access-control-max-age': String(PREFLIGHT_SECONDS),
};

/** Before anything else is looked at: who does not come from a shop's page gets no further, preflights end here. */
export function admitOrigins(app: NestFastifyApplication, origins: ReadonlySet<string>): void {
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRequest', (request, reply, done) => {
      const headers = corsHeaders(request.headers.origin, origins);
      if (headers === undefined) {
        reply.header('vary', 'Origin');
        sendProblem(reply, request, notAdmitted());
        return;
      }
      reply.headers(headers);
      if (request.method === 'OPTIONS') {
        reply.code(204).headers(PREFLIGHT_HEADERS).send();
        return;
      }
      done();
    });
}

function notAdmitted(): Problem {
  return new Problem({ status: 403, code: 'origin_not_allowed', detail: 'This address answers only the pages of configured origins.' });
}
