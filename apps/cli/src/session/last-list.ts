import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { writeOwn } from './profiles.js';

/** A number that follows a list means one of its rows. */
export interface ListedRow {
  kind?: string;
  id?: string;
  merchant?: string;
  orderId?: string;
}

const FORGOTTEN_MS = 86_400_000;

/**
 * One file for each terminal and profile: the shell is the parent of every command that is typed in it. What `kubectl exec` starts has no shell,
 * and a number would mean a row of somebody else's list.
 */
export class LastList {
  readonly #folder = join(process.env.XDG_STATE_HOME ?? join(homedir(), '.local', 'state'), 'tranche');
  readonly #file: string;

  constructor(profile: string) {
    this.#file = join(this.#folder, `list-${profile}-${process.ppid}.json`);
  }

  /** Numbers mean nothing where no file can be written, as in a read-only container. */
  write(rows: readonly ListedRow[]): void {
    if (process.ppid <= 1) return;
    try {
      this.#forget();
      writeOwn(this.#file, JSON.stringify(rows));
    } catch {
      // The list itself was printed.
    }
  }

  row(number: number): ListedRow | undefined {
    try {
      return (JSON.parse(readFileSync(this.#file, 'utf8')) as ListedRow[])[number - 1];
    } catch {
      return undefined;
    }
  }

  #forget(): void {
    if (!existsSync(this.#folder)) return;
    const old = (name: string) =>
      Date.now() - (statSync(name, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) > FORGOTTEN_MS;
    for (const name of readdirSync(this.#folder).filter((one) => one.startsWith('list-')))
      if (old(join(this.#folder, name))) rmSync(join(this.#folder, name), { force: true });
  }
}
