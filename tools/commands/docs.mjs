import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { install } from '../infra/bootstrap.mjs';
import { port } from './values.mjs';

export const description = 'builds the site of the documents into dist/site; a link to a page that is not there fails';
export const options = {
  serve: { help: 'shows the site on this machine, until Ctrl-C' },
  port: { value: 'NUMBER', help: 'where it is shown', default: '5173', check: port },
};
export const exitCodes = { 0: 'built', 1: 'not built; the dead links or the page with the fault are printed' };

export const runsUntilStopped = ({ serve }) => serve === true;

export async function run({ options: { serve: isShown, port: at }, signal, held, log }) {
  await install({ held, log });
  await writePagesOfTests();
  const { build, serve } = await import('vitepress');
  await build('docs');
  if (!isShown) return;
  await serve({ root: 'docs', port: Number(at) });
  if (!signal.aborted) await once(signal, 'abort');
}

/** The two pages that follow from the titles of tests are in the site only: in git, every new test would change them. */
async function writePagesOfTests() {
  const { PROMISES_FILE, promisesDocument } = await import('../checks/promises.mjs');
  const { COVERAGE_FILE, specCoverage } = await import('../checks/spec-coverage.mjs');
  writeFileSync(PROMISES_FILE, promisesDocument());
  writeFileSync(COVERAGE_FILE, specCoverage().text);
}
