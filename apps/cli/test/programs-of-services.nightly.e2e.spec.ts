import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { repositoryRoot } from '@tranche/testing';

const MAIN = join(repositoryRoot(), 'apps/cli/dist/service.js');

/** The bundle, as the image has it. */
function run(...args: string[]): Promise<[number | null, string]> {
  const child = spawn(process.execPath, [MAIN, ...args], { env: { PATH: process.env.PATH }, cwd: '/' });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => (text += part));
  return new Promise((resolve) => child.on('close', (code) => resolve([code, text])));
}

it.each([
  ['quarantine reverify, which takes its arguments', ['quarantine', 'reverify', '--since', 'yesterday'], 2, /--since yesterday is neither a date/],
  ['quarantine reverify, which takes its settings', ['quarantine', 'reverify', '--dry-run'], 78, /^MERCHANTS_FILE: /m],
  ['accounts check', ['accounts', 'check'], 78, /^ACCOUNTS_FILE: /m],
  ['no program', ['attention'], 1, /operations does not answer/],
])('runs %s', async (_, args, code, says) => {
  expect(await run(...args)).toEqual([code, expect.stringMatching(says)]);
}); // prettier-ignore
