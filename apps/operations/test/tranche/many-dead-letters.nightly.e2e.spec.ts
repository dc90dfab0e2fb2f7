import { TOPICS } from '@tranche/contracts';
import { aCommand, aPartnerBAuthorization, eventsOf, infrastructure, waitFor, type EventsOf } from '@tranche/testing';
import { startCliStage } from './cli-stage.js';

/** No other spec has orders of this merchant. */
const merchant = 'shop-replayed';
const numbered = (name: string, count: number) => Array.from({ length: count }, (_, at) => `${name}-${at}`);
/** Nothing was done about these, their sender has published these anew, and these have another operation in doubt. */
const [fresh, known, doubtful] = [numbered('letter', 900), numbered('known', 60), numbered('doubted', 40)];
const all = [...fresh, ...known, ...doubtful];

interface Job {
  id: string;
  status: string;
  counts: Record<string, number>;
  done: number;
  failed: number;
}
interface Ledger {
  calls: { orderId: string }[];
  operations: { orderId: string }[];
}

let stage: Awaited<ReturnType<typeof startCliStage>>;
let results: EventsOf;
beforeAll(async () => {
  stage = await startCliStage();
  results = await eventsOf(infrastructure().brokers, stage.prefix, TOPICS.events);
}, 240_000);
afterAll(async () => {
  await Promise.all([results.stop(), stage.stop()]);
}, 60_000);

const query = new URLSearchParams({ identifier: `Test ${merchant}` });
const ledger = async () => (await (await fetch(`${stage.simulator.url}/simulator/ledger?${query}`)).json()) as Ledger;
const reason = ['--reason', 'The release with the fault is gone, ticket 831'];

async function job(id: string): Promise<Job> {
  const { out, err } = await stage.run('alice', 'jobs', 'show', id, '-o', 'json');
  if (out === '') throw new Error(err);
  return JSON.parse(out) as Job;
}
const until = (id: string, what: string, is: (job: Job) => boolean) =>
  waitFor(async () => [await job(id)].find(is), { what: `a job ${what}`, timeoutMs: 300_000 });

async function replay(...more: string[]): Promise<Job> {
  const { out, err } = await stage.run(
    'alice',
    'jobs',
    'replay',
    '--merchant',
    merchant,
    ...reason,
    '--yes',
    '-o',
    'json',
    ...more,
  );
  if (out === '') throw new Error(err);
  return JSON.parse(out) as Job;
}
const eventsAbout = (orderIds: readonly string[]) =>
  results.events.filter(({ data }) => orderIds.includes(data.orderId)).length;

it('1,000 dead letters are replayed over a kill, a cancel and a second job: the platform has each order once, and none that is in doubt', async () => {
  const commands = new Map(
    all.map((orderId) => [orderId, aCommand('payment.authorize', aPartnerBAuthorization({ merchant, orderId }))]),
  );
  await stage.sendDeadLetters([...commands.values()]);
  const once = ['--times', String(doubtful.length)];
  await stage.run('alice', 'sim', 'fault', 'executeThenReset', '--order', 'doubted-', ...once);
  await Promise.all([
    ...doubtful.map((orderId) => stage.send('payment.authorize', aPartnerBAuthorization({ merchant, orderId }))),
    ...known.map((orderId) => stage.sendCommand(commands.get(orderId)!)),
  ]);
  const done = known.length + doubtful.length;
  await waitFor(() => eventsAbout([...known, ...doubtful]) >= done, { what: 'their events', timeoutMs: 120_000 });
  await waitFor(
    async () => (await stage.run('alice', 'dead-letters', '--merchant', merchant, '--limit', '1')).out !== '',
    { what: 'dead letters in the list' },
  );

  const first = await replay();
  expect(first.counts).toEqual({ attempt: fresh.length, repeat: known.length, 'in-doubt': doubtful.length });
  await until(first.id, 'with 100 items done', (one) => one.done >= 100);
  await stage.end('operations', 'SIGKILL');
  await stage.startOperations();
  expect((await until(first.id, 'interrupted', ({ status }) => status !== 'running')).status).toBe('interrupted');
  expect(await stage.run('alice', 'jobs', 'start', first.id, '--yes')).toMatchObject({ code: 0 });
  await until(first.id, 'with 300 items done', (one) => one.done >= 300);
  expect(await stage.run('alice', 'jobs', 'cancel', first.id, '--yes')).toMatchObject({ code: 0 });
  const cancelled = await job(first.id);
  expect([cancelled.status, cancelled.done < fresh.length]).toEqual(['cancelled', true]);
  expect(await stage.run('alice', 'jobs', 'start', first.id, '--yes')).toMatchObject({ code: 3 });

  const second = await replay('--wait');
  expect(second).toMatchObject({ status: 'done', failed: 0, done: fresh.length + known.length });
  expect(second.counts['in-doubt']).toBe(doubtful.length);
  // Each command that was published again got its event, or got it once more.
  const published = cancelled.done + second.done + done;
  await waitFor(() => eventsAbout(all) >= published, { what: `${published} events`, timeoutMs: 120_000 });
  const { calls, operations } = await ledger();
  expect(calls.map(({ orderId }) => orderId).toSorted()).toEqual(all.toSorted());
  expect(operations.map(({ orderId }) => orderId).toSorted()).toEqual(all.toSorted());
}, 900_000);
