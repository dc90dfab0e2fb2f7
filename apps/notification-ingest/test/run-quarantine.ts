import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { infrastructure, repositoryRoot } from '@tranche/testing';
import type { Ingest } from './support.js';

const MAIN = join(repositoryRoot(), 'apps/notification-ingest/dist/quarantine/main.js');

/** Runs the operators' command with the topics and merchants of this webhook. */
export function runQuarantine(
  { prefix, merchantsFile }: Pick<Ingest, 'prefix' | 'merchantsFile'>,
  args: string[],
  env: Record<string, string> = {},
): Promise<{ code: number | null; out: string; err: string }> {
  const { brokers } = infrastructure();
  const own = { KAFKA_BROKERS: brokers, KAFKA_TOPIC_PREFIX: prefix, MERCHANTS_FILE: merchantsFile };
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [MAIN, ...args], { env: { PATH: process.env.PATH, ...own, ...env } });
    const ended = { code: null as number | null, out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (ended.out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (ended.err += text));
    child.on('close', (code) => resolve({ ...ended, code }));
  });
}
