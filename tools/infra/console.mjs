/** Builds the page that operations serves, with Vite, where its sources are newer. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const APP = 'apps/operations-console';
const SOURCES = ['src', 'public', 'index.html', 'vite.config.mjs', 'package.json'];

/** Resolves to whether it was built. */
export async function buildConsole({ root = process.cwd() } = {}) {
  const app = join(root, APP);
  const madeAt = statSync(join(app, 'dist/page/index.html'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (SOURCES.every((name) => newestOf(join(app, name)) < madeAt)) return false;
  // The repository's documents use an older Vite, so the page's own is asked for where the page is.
  const vite = createRequire(join(app, 'package.json')).resolve('vite');
  const { build } = await import(pathToFileURL(vite).href);
  await build({ root: app, logLevel: 'warn' });
  return true;
}

function newestOf(place) {
  if (!existsSync(place)) return 0;
  const { mtimeMs } = statSync(place);
  if (!statSync(place).isDirectory()) return mtimeMs;
  return Math.max(mtimeMs, ...readdirSync(place).map((name) => newestOf(join(place, name))));
}
