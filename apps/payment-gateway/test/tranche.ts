import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { GatewayStack } from './gateway-stack.js';

const CLI = join(__dirname, '../../cli/dist/service.js');

type Environment = Pick<GatewayStack, 'env'>;

/** Runs `tranche` with the gateway's settings. */
export async function tranche({ env }: Environment, ...args: string[]) {
  const child = spawn(process.execPath, [CLI, ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: code as number | null, out, err };
}

export const trancheJournal = (stack: Environment, ...args: string[]) => tranche(stack, 'journal', ...args);

export const PEOPLE = ['--requested-by', 'alice', '--approved-by', 'bob', '--reason', 'the disk was lost, ticket 77'];

interface Status {
  members: { groupId: string; clientId: string }[];
  partitions: { partition: number; state: string; damages: { kind: string; offset?: string; hash?: string }[] }[];
}

/** Exit code and content of `tranche journal status --json`. */
export async function journalStatus(stack: Pick<GatewayStack, 'env'>): Promise<Status & { code: number | null }> {
  const { code, out, err } = await trancheJournal(stack, 'status', '--json');
  if (out === '') throw new Error(err);
  return { code, ...(JSON.parse(out) as Status) };
}
