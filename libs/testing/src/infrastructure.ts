import { randomUUID } from 'node:crypto';
import { createServer } from 'node:net';

export interface Infrastructure {
  /** `host:port`, comma-separated, as in KAFKA_BROKERS. */
  brokers: string;
  redisUrl: string;
}

/** A person must type this where a test needs servers and has none. `jest.stages.mjs` says it once before the first test. */
export const SERVERS_WANTED =
  'This run has no Kafka and Redis: `npm test -- PATH` starts them for the tests below PATH; `UNIT=1 npx jest PATH` runs those that need none.';

/** The Kafka and Redis that `npm test` started, or that the environment names. */
export function infrastructure(env: NodeJS.ProcessEnv = process.env): Infrastructure {
  const { KAFKA_BROKERS: brokers, REDIS_URL: redisUrl } = env;
  if (!brokers || !redisUrl) {
    throw new Error(SERVERS_WANTED);
  }
  return { brokers, redisUrl };
}

/** The PostgreSQL that `npm test` started, or that the environment names. */
export function databaseUrl({ DATABASE_URL: url }: NodeJS.ProcessEnv = process.env): string {
  if (url) return url;
  throw new Error('DATABASE_URL is not set: run `npm test`, which says why where it can not start PostgreSQL');
}

/** A random topic prefix for one test. */
export function ownPrefix(): string {
  return `test-${randomUUID().slice(0, 8)}.`;
}

/**
 * 16 slices of 1,000 ports, all below the system's ephemeral ports. Test workers use the first four, other processes one of the rest, so
 * that two processes are not given the same port.
 */
const FIRST_PORT = 12_000;
const SLICE = 1_000;
const WORKER_SLICES = 4;
const OTHER_SLICES = 12;

const firstOfSlice = FIRST_PORT + sliceOf(process.env.JEST_WORKER_ID, process.pid) * SLICE;
let offset = Math.floor(Math.random() * SLICE);

/** Two free ports of 127.0.0.1 that this process was not given before. */
export async function freePorts(): Promise<[number, number]> {
  return [await freePort(), await freePort()];
}

async function freePort(): Promise<number> {
  for (let tried = 0; tried < SLICE; tried += 1) {
    offset = (offset + 1) % SLICE;
    const port = firstOfSlice + offset;
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port between ${firstOfSlice} and ${firstOfSlice + SLICE - 1}`);
}

/** Checks all addresses, because services listen on all; a listener on one of them counts too. */
async function isFree(port: number): Promise<boolean> {
  return (await canListen(port, '127.0.0.1')) && canListen(port, '0.0.0.0');
}

function canListen(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, host, () => server.close(() => resolve(true)));
  });
}

/** The slice of a process; Jest counts its workers from 1. */
export function sliceOf(workerId: string | undefined, pid: number): number {
  return workerId === undefined ? WORKER_SLICES + (pid % OTHER_SLICES) : Number(workerId) % WORKER_SLICES;
}
