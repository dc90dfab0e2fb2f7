import { readdirSync, readFileSync, statSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { install } from '../infra/bootstrap.mjs';
import { port } from './values.mjs';
import { TEMPORARY } from './variables.mjs';

export const description = 'builds the site of the documents into dist/site; a link to a page that is not there fails';
export const options = {
  serve: { help: 'shows the site on this machine, until Ctrl-C' },
  port: { value: 'NUMBER', help: 'where it is shown', default: '5173', check: port },
};
export const variables = TEMPORARY;
export const exitCodes = { 0: 'built', 1: 'not built; the dead links or the page with the fault are printed' };

export const runsUntilStopped = ({ serve }) => serve === true;

const SITE = 'dist/site';

export async function run({ options: { serve: isShown, port: at }, signal, held, log }) {
  await install({ held, log });
  const { build, serve } = await import('vitepress');
  const { countWords } = await import('../checks/words.mjs');
  const begun = performance.now();
  await build('docs');
  const files = readdirSync(SITE, { recursive: true }).map((name) => join(SITE, name));
  const bytes = files.map((file) => statSync(file)).reduce((sum, { size }) => sum + size, 0);
  const pages = files.filter((file) => file.endsWith('.html')).length;
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  const { byHand, generated } = countWords(markdownFiles('.'), (file) => readFileSync(file, 'utf8'));
  console.log(
    `${SITE}: ${pages} pages, ${(bytes / 1e6).toFixed(1)} MB, in ${seconds} s; ${byHand} words by hand, ${generated} generated`,
  );
  if (!isShown) return;
  await serve({ root: 'docs', port: Number(at) });
  if (!signal.aborted) await once(signal, 'abort');
}

function markdownFiles(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name.startsWith('.') || ['node_modules', 'dist'].includes(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? markdownFiles(path) : path.endsWith('.md') ? [path] : [];
  });
}
