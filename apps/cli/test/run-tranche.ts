import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exitCodeOf, tranche } from '../src/tranche.js';

export interface Ended {
  code: number;
  out: string;
  err: string;
}

/** A terminal of its own: `run` types commands in it, with folders for profiles and the last list. */
export function aTerminal(env: Record<string, string>) {
  const home = mkdtempSync(join(tmpdir(), 'tranche-home-'));
  const own = { PATH: process.env.PATH, HOME: home, XDG_CONFIG_HOME: join(home, 'config'), XDG_STATE_HOME: join(home, 'state') };
  const before = process.env;
  return {
    home,
    close: () => rmSync(home, { recursive: true }),
    async run(args: readonly string[], more: Record<string, string> = {}): Promise<Ended> {
      const ended: Ended = { code: 0, out: '', err: '' };
      const log = jest.spyOn(console, 'log').mockImplementation((text: string) => void (ended.out += `${text}\n`));
      const error = jest.spyOn(console, 'error').mockImplementation((text: string) => void (ended.err += `${text}\n`));
      const written = (to: 'out' | 'err') => (text: string | Uint8Array) => ((ended[to] += String(text)), true);
      const stdout = jest.spyOn(process.stdout, 'write').mockImplementation(written('out'));
      const stderr = jest.spyOn(process.stderr, 'write').mockImplementation(written('err'));
      process.env = { ...own, ...env, ...more };
      try {
        const made = tranche((code) => (ended.code = code));
        await made.program.parseAsync(['node', 'tranche', ...args]);
        made.assertNoFaults();
      } catch (failure) {
        ended.code = exitCodeOf(failure, (line) => (ended.err += `${line}\n`));
      } finally {
        process.env = before;
        for (const spy of [log, error, stdout, stderr]) spy.mockRestore();
      }
      return ended;
    },
  };
} // prettier-ignore
