/**
 * Is loaded into a service before its own code (`node --import`). The first SIGUSR2 begins to profile and to count; the second writes the
 * profile to PROFILE_FILE and then the counts beside it. Both signals are the bench's, so that start and end of the service are left out.
 */
import { subscribe } from 'node:diagnostics_channel';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import kafkajs from 'kafkajs';

/** Counts what a service did between both signals. */
export interface Counted {
  counts: Record<string, number>;
  cpuMs: number;
  wallMs: number;
}

type Instrumented = { events: { REQUEST: string }; on: (event: string, listener: (event: Request) => void) => void };
type Request = { payload: { apiName: string; size: number } };

const file = process.env.PROFILE_FILE ?? '';
let counts: Record<string, number> = {};
const count = (what: string, by = 1) => (counts[what] = (counts[what] ?? 0) + by);

// kafkajs tells each request by an event of the client that made it, so every client gets a listener as it is made.
const kafka = kafkajs.Kafka.prototype as unknown as Record<string, (options?: object) => Instrumented>;
for (const kind of ['producer', 'consumer', 'admin']) {
  const make = kafka[kind]!;
  kafka[kind] = function (this: unknown, options) {
    const client = make.call(this, options);
    client.on(client.events.REQUEST, ({ payload: { apiName, size } }) => {
      count(`kafka${apiName}`);
      if (apiName === 'Fetch') count('kafkaFetchedBytes', size);
    });
    return client;
  };
}
subscribe('undici:request:create', () => count('platformCalls'));

/** System calls that write: nearly all are to sockets, a few wake a thread. Without /proc it is 0. */
function writes(): number {
  try {
    return Number(/^syscw: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
  } catch {
    return 0;
  }
}

const session = new Session();
session.connect();

async function begin() {
  await session.post('Profiler.enable');
  await session.post('Profiler.start');
  counts = {};
  return { ms: performance.now(), cpu: process.cpuUsage(), writes: writes() };
}

async function end(begun: Awaited<ReturnType<typeof begin>>) {
  const { user, system } = process.cpuUsage(begun.cpu);
  const wallMs = performance.now() - begun.ms;
  count('writes', writes() - begun.writes);
  const counted: Counted = { counts: { ...counts }, cpuMs: (user + system) / 1000, wallMs };
  const { profile } = await session.post('Profiler.stop');
  writeFileSync(file, JSON.stringify(profile));
  writeFileSync(`${file}.part`, JSON.stringify(counted));
  renameSync(`${file}.part`, `${file}.counts.json`);
}

let begun: ReturnType<typeof begin> | undefined;
process.on('SIGUSR2', () => {
  if (begun === undefined) begun = begin();
  else void begun.then(end);
});
