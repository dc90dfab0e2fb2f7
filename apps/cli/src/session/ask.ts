import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { RefusedError, UsageError } from '../exit.js';

export interface Asked {
  yes?: boolean;
  /** Programs give here what a person would have to type in production. */
  confirm?: string;
}

/** Asks before something is done. In production the name of what it is about must be typed again, also with `--yes`. */
export async function agree(what: string, name: string, isProduction: boolean, { yes, confirm }: Asked): Promise<void> {
  if (confirm !== undefined && confirm !== name) throw new RefusedError(`nothing was done: --confirm is not ${name}`);
  if (confirm === name || (yes === true && !isProduction)) return;
  if (!process.stdin.isTTY)
    throw new RefusedError(
      `nothing was done: give ${isProduction ? `--confirm '${name}' (this is production)` : '--yes'} where nobody can be asked`,
    );
  const wanted = isProduction ? name : 'yes';
  const answer = await question(`${what}. Type ${wanted} to go on: `);
  if (answer.trim() !== wanted) throw new RefusedError('nothing was done');
}

/** A secret that is typed without being shown, or the first line of stdin. */
export async function secret(prompt: string): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  if (process.stdin.isTTY) process.stderr.write(prompt);
  const lines = createInterface({ input: process.stdin, output: silent, terminal: process.stdin.isTTY });
  try {
    for await (const line of lines) return line.trim();
    throw new UsageError('no token was given: type it, or write it to stdin');
  } finally {
    lines.close();
    if (process.stdin.isTTY) process.stderr.write('\n');
  }
}

async function question(text: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(text);
  } finally {
    terminal.close();
  }
}
