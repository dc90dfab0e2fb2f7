import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import helmet from '@fastify/helmet';
import files from '@fastify/static';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { REASON } from '@tranche/contracts';
import { compact } from '@tranche/runtime';
import type { OperationsConfig } from '../operations.config.js';

/** Addresses that no list of the navigation has: an order, and the way back from the issuer. */
const FURTHER_PAGES = ['/orders', '/sign-in'];
const YEAR_SECONDS = 31_536_000;

/** Serves the page of apps/operations-console beside the API, if it was built; `folder` holds what Vite made. */
export async function servePage(
  app: NestFastifyApplication,
  { backOfficeUrl, pageSignIn: oidc }: Pick<OperationsConfig, 'backOfficeUrl' | 'pageSignIn'>,
  folder: string,
): Promise<void> {
  const document = join(folder, 'index.html');
  if (!existsSync(document)) return;
  await app.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: contentSecurityPolicy(oidc?.issuer) },
    referrerPolicy: { policy: 'no-referrer' },
    // TLS ends before this service, and that is where its promise is made.
    strictTransportSecurity: false,
  });
  const fastify = app.getHttpAdapter().getInstance();
  // Names of these files have a hash of their content.
  await fastify.register(files, {
    ...{
      root: join(folder, 'assets'),
      prefix: '/assets/',
      index: false,
      maxAge: YEAR_SECONDS * 1_000,
      immutable: true,
      preCompressed: true,
    },
    allowedPath: (path) => /^\/[\w.-]+\.(?:js|css)$/.test(path),
  });
  const mark = readFileSync(join(folder, 'mark.svg'), 'utf8');
  fastify.get('/mark.svg', (_request, reply) => reply.type('image/svg+xml').send(mark));
  fastify.get('/console.json', (_request, reply) =>
    reply.header('cache-control', 'no-store').send(compact({ backOfficeUrl, oidc, reason: REASON })),
  );
  const html = readFileSync(document, 'utf8');
  // The build of the page lists its pages; the page reads the rest of the address.
  const listed = JSON.parse(readFileSync(join(folder, 'pages.json'), 'utf8')) as string[];
  const pages = [...listed.filter((path) => path !== '/'), ...FURTHER_PAGES];
  for (const address of ['/', ...pages.flatMap((page) => [page, `${page}/*`])])
    fastify.get(address, (_request, reply) =>
      reply.type('text/html; charset=utf-8').header('cache-control', 'no-cache').send(html),
    );
}

/** Allows no inline code, no inline style and no third party but the issuer, which the page asks for tokens. */
function contentSecurityPolicy(issuer?: string): Record<string, string[]> {
  return {
    'default-src': ["'none'"],
    'script-src': ["'self'"],
    'style-src': ["'self'"],
    'img-src': ["'self'"],
    'connect-src': ["'self'", ...(issuer === undefined ? [] : [new URL(issuer).origin])],
    'form-action': ["'none'"],
    'base-uri': ["'none'"],
    'frame-ancestors': ["'none'"],
    'require-trusted-types-for': ["'script'"],
    'trusted-types': ["'none'"],
  };
}
