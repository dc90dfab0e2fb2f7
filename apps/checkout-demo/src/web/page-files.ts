import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import helmet from '@fastify/helmet';
import files from '@fastify/static';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { CheckoutConfig } from '../checkout.config.js';

interface PageFolders {
  page: string;
  scripts: string;
  cardEncryption: string;
}

/** Serves the page and all its files from the shop itself. */
export async function servePage(
  app: NestFastifyApplication,
  config: CheckoutConfig,
  folders: PageFolders,
): Promise<void> {
  // Traces start at the shop. A browser's trace id would otherwise appear in our logs and commands.
  app.getHttpServer().prependListener('request', ({ headers }: { headers: Record<string, unknown> }) => {
    delete headers.traceparent;
    delete headers.tracestate;
  });
  await app.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: contentSecurityPolicy(config) },
    referrerPolicy: { policy: 'same-origin' },
    strictTransportSecurity: config.isSecure,
    crossOriginEmbedderPolicy: false,
    // The provider's page is in an opaque origin, which cannot keep this setting.
    originAgentCluster: false,
  });
  const fastify = app.getHttpAdapter().getInstance();
  const folder = (root: string, prefix: string, allowed: RegExp, decorateReply: boolean) =>
    fastify.register(files, {
      root,
      prefix,
      decorateReply,
      index: false,
      cacheControl: false,
      allowedPath: (path) => allowed.test(path),
    });
  // Only the desk's controller sends desk.html: the path of a request begins with a slash.
  await folder(folders.page, '/assets/', /^(?:\/[\w-]+\.(?:css|svg)|desk\.html)$/, true);
  await folder(folders.scripts, '/page/', /^\/[\w-]+\.js(?:on)?$/, false);
  await folder(folders.cardEncryption, '/card-encryption/', /^\/[\w.-]+\.js$/, false);

  const html = readFileSync(join(folders.page, 'index.html'), 'utf8');
  for (const address of ['/', '/orders/:pageId'])
    fastify.get(address, (_request, reply) =>
      reply.type('text/html; charset=utf-8').header('cache-control', 'no-cache').send(html),
    );
}

/** Allows no inline code and no third party. The page connects only to the shop, the key service and the tokenizer. */
export function contentSecurityPolicy({
  cseKeysUrl,
  tokenizerUrl,
}: Pick<CheckoutConfig, 'cseKeysUrl' | 'tokenizerUrl'>): Record<string, string[]> {
  return {
    'default-src': ["'none'"],
    'script-src': ["'self'"],
    'style-src': ["'self'"],
    'img-src': ["'self'"],
    'connect-src': [...new Set(["'self'", cseKeysUrl.origin, tokenizerUrl.origin])],
    'form-action': ["'self'"],
    'base-uri': ["'none'"],
    'frame-ancestors': ["'none'"],
    'require-trusted-types-for': ["'script'"],
  };
}
