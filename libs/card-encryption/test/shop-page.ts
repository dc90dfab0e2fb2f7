import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { repositoryRoot } from '@tranche/testing';
import type { Page } from 'playwright-core';
import type { Card, CardToken, TokenizeOptions } from '../src/index.js';

type Build = 'ES module' | 'classic script';
export const BUILDS: Build[] = ['ES module', 'classic script'];

const FILES: Record<Build, string> = { 'ES module': 'index.js', 'classic script': 'card-encryption.global.js' };

interface PageOptions {
  build: Build;
  /** Origins in the page's CSP `connect-src`. */
  connectSources: string[];
  /** Text appended to the library, as an attacker with access to the file could do. */
  addition?: string;
}

/** A shop's page with the strictest policy under which the library works, and the library pinned by its integrity hash. */
export async function startShopPage({ build, connectSources, addition = '' }: PageOptions) {
  const library = readFileSync(join(repositoryRoot(), 'libs/card-encryption/dist', FILES[build]));
  const integrity = `sha384-${createHash('sha384').update(library).digest('base64')}`;
  // An import map is an inline script, so CSP allows it by its hash.
  const importMap = JSON.stringify({
    imports: { '@tranche/card-encryption': '/library.js' },
    integrity: { '/library.js': integrity },
  });
  const policy = [
    "default-src 'none'",
    `script-src 'self' 'sha256-${createHash('sha256').update(importMap).digest('base64')}'`,
    `connect-src ${connectSources.join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const scripts =
    build === 'ES module'
      ? `<script type="importmap">${importMap}</script><script type="module" src="/page.js"></script>`
      : `<script src="/library.js" integrity="${integrity}" crossorigin="anonymous"></script><script src="/page.js"></script>`;
  const page =
    build === 'ES module'
      ? "import * as library from '@tranche/card-encryption'; window.library = library;"
      : 'window.library = window.TrancheCardEncryption;';
  const files: Record<string, [type: string, content: string]> = {
    '/': ['text/html', `<!doctype html><title>Shop</title>${scripts}`],
    '/page.js': ['text/javascript', page],
    '/library.js': ['text/javascript', library.toString() + addition],
  };

  const server = createServer((request, response) => {
    const [type, content] = files[request.url ?? ''] ?? ['text/plain', undefined];
    response.writeHead(content === undefined ? 404 : 200, {
      'content-type': `${type}; charset=utf-8`,
      'content-security-policy': policy,
    });
    response.end(content);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}/`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

export interface Outcome {
  token?: CardToken;
  error?: { code: string; message: string; faults?: object[]; execCode?: string };
}

/** Result of the page's call of `tokenizeCard`. */
export function tokenizeIn(page: Page, card: Card, options: TokenizeOptions): Promise<Outcome> {
  return page.evaluate(
    async ([enteredCard, tokenizeOptions]) => {
      const { library } = window as unknown as { library: typeof import('../src/index.js') };
      try {
        return { token: await library.tokenizeCard(enteredCard, tokenizeOptions) };
      } catch (error) {
        const { code, message, faults, execCode } = error as InstanceType<typeof library.CardEncryptionError>;
        return { error: { code, message, faults, execCode } };
      }
    },
    [card, options] as const,
  );
}
