import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import postgres from 'postgres';
import { waitFor } from '@tranche/testing';
import { createLogger, Health, ServiceLifetime } from '@tranche/service-kit';
import { Database } from '../src/database/database.service.js';
import type { OperationsConfig } from '../src/operations.config.js';

interface Held {
  close(): Promise<void>;
}
interface Tools {
  holdProcesses: () => Held;
  startDatabase: (options: object) => Promise<{ databaseUrl: string; process: Server & { again(): Server } }>;
}
interface Server {
  kill(signal: NodeJS.Signals): void;
  exited: Promise<unknown>;
}
interface OwnPostgres {
  url: string;
  /** Kills all of it. */
  kill(): Promise<void>;
  /** Starts it anew with its data. Resolves once it takes connections. */
  again(): Promise<void>;
  close(): Promise<void>;
}

/** The PostgreSQL that `npm test` started, else one of this spec alone, from the binaries of npm. */
export async function postgresOfTests(): Promise<{ url: string; close(): Promise<void> }> {
  const { DATABASE_URL: given } = process.env;
  return given ? { url: given, close: () => Promise.resolve() } : ownPostgres();
}

/** One that nobody else uses. */
export async function ownPostgres(): Promise<OwnPostgres> {
  const { DATABASE_URL: given } = process.env;
  const folder = join(__dirname, '../../../tools/infra');
  const { holdProcesses } = (await import(join(folder, 'processes.mjs'))) as Tools;
  const { startDatabase } = (await import(join(folder, 'infrastructure.mjs'))) as Tools;
  const held = holdProcesses();
  delete process.env.DATABASE_URL;
  try {
    const { databaseUrl: url, process: first } = await startDatabase({ held, log: () => undefined });
    let server: Server = first;
    const answers = async () => {
      const sql = postgres(url, { max: 1, onnotice: () => undefined });
      await sql`select 1`.finally(() => sql.end());
      return true;
    };
    return {
      url,
      async kill() {
        server.kill('SIGKILL');
        await server.exited;
      },
      async again() {
        server = first.again();
        await waitFor(answers, { what: 'PostgreSQL to answer again' });
      },
      close: () => held.close(),
    };
  } finally {
    if (given !== undefined) process.env.DATABASE_URL = given;
  }
}

/** PostgreSQL takes the end of one of its processes for a crash: it ends all sessions, recovers, and takes new ones. */
export async function killPostgres(url: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  const [session] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  process.kill(session!.pid, 'SIGKILL');
  await sql.end({ timeout: 0 });
}

export const ownSchema = (): string => `test_${randomBytes(6).toString('hex')}`;

export function databaseOf(url: string, schema: string): Database {
  const config = { databaseUrl: new URL(url), databaseSchema: schema, databaseConnections: 4 } as OperationsConfig;
  const log = createLogger({ name: 'spec', destination: { write: () => undefined } });
  return new Database(config, new ServiceLifetime(), log, new Health());
}
