import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TOPICS } from '@tranche/contracts';
import {
  aPartnerAAuthorization,
  aPartnerBAuthorization,
  eventsOf,
  infrastructure,
  waitFor,
  type EventsOf,
} from '@tranche/testing';
import { startCliStage, type Item, type Person } from './cli-stage.js';

/** No other spec has orders of this merchant. */
const merchant = 'shop-many';
/** As many calls as an instance makes at once. */
const MANY = 256;
const MOST_COMMANDS = 10;
/** The rest comes to the platform, which executes it or refuses it. */
const lost = ['many-lost-1', 'many-lost-2'];
const arrived = Array.from({ length: MANY - lost.length }, (_, at) => `many-${at}`);
const isRefused = (orderId: string) => Number(orderId.slice('many-'.length)) % 5 === 0;
/** The last four digits choose the EXECCODE. */
const amountOf = (orderId: string) => (isRefused(orderId) ? 24_001 : 30_000);

interface Ledger {
  calls: object[];
  operations: { orderId: string; transactionId: string; finalExecCode: string }[];
}

const folder = mkdtempSync(join(tmpdir(), 'tranche-many-'));
let stage: Awaited<ReturnType<typeof startCliStage>>;
let results: EventsOf;
let commands = 0;
beforeAll(async () => {
  stage = await startCliStage({ PLATFORM_TIMEOUT_MS: '120000' });
  results = await eventsOf(infrastructure().brokers, stage.prefix, TOPICS.events);
}, 240_000);
afterAll(async () => {
  await Promise.all([results.stop(), stage.stop()]);
  rmSync(folder, { recursive: true });
}, 60_000);

const typed = (person: Person, ...args: string[]) => (commands++, stage.run(person, ...args));
const ofSimulator = (path: string, init?: RequestInit) => fetch(`${stage.simulator.url}/simulator/${path}`, init);
const query = new URLSearchParams({ identifier: `Test ${merchant}` });
const ledger = async () => (await (await ofSimulator(`ledger?${query}`)).json()) as Ledger;

async function fault(orderPrefix: string, fault: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ match: { orderPrefix }, fault });
  expect((await ofSimulator('faults', { method: 'POST', headers, body })).status).toBe(201);
}

async function doubts(): Promise<Item[]> {
  const args = ['--kind', 'doubt', '--merchant', merchant, '--limit', '500', '-o', 'json'];
  const { out, err } = await stage.run('alice', 'attention', ...args);
  if (out === '') throw new Error(err);
  return (JSON.parse(out) as { items: Item[] }).items;
}
const untilDoubts = (count: number) =>
  waitFor(async () => (await doubts()).length === count, { what: `${count} doubts`, timeoutMs: 300_000 });

it(`a killed gateway leaves ${MANY} doubts: two people close them by one export, in at most ${MOST_COMMANDS} commands, as the ledger has them`, async () => {
  await fault('many-lost', { latencyMs: 60_000, dropBefore: true });
  await fault('many-', { latencyMs: 60_000, withoutForm: '0000' });
  const all = [...arrived, ...lost];
  await Promise.all(
    all.map((orderId, at) => {
      const data = { merchant, orderId, amount: amountOf(orderId) };
      const { cart: _a, ...ofA } = aPartnerAAuthorization(data);
      const { cart: _b, ...ofB } = aPartnerBAuthorization(data);
      return stage.send('payment.authorize', at % 2 === 0 ? ofA : ofB);
    }),
  );
  await waitFor(async () => (await ledger()).calls.length === MANY, {
    what: `${MANY} calls under way`,
    timeoutMs: 55_000,
  });
  await stage.end('gateway', 'SIGKILL');
  expect((await ledger()).operations).toEqual([]);
  await stage.startGateway({ PLATFORM_TIMEOUT_MS: '500' });
  await untilDoubts(MANY);
  const { operations } = await waitFor(async () => {
    const now = await ledger();
    return now.operations.length === arrived.length && now;
  }, { what: 'the platform to have executed what came', timeoutMs: 120_000 }); // prettier-ignore
  const file = join(folder, 'export.csv');
  writeFileSync(file, Buffer.from(await (await ofSimulator(`export?${query}`)).arrayBuffer()));

  await typed('alice', 'attention', '--kind', 'doubt', '--merchant', merchant);
  const reason = ['--reason', 'The export has them, ticket 815'];
  const byFile = ['jobs', 'resolve-by-file', file, '--merchant', merchant, ...reason];
  const proposed = await typed('alice', ...byFile, '--yes', '--wait', '-o', 'json');
  if (proposed.out === '') throw new Error(proposed.err);
  const { id, counts } = JSON.parse(proposed.out) as { id: string; counts: object };
  // An export without a row proves nothing.
  expect([proposed.code, counts]).toEqual([6, { propose: arrived.length, unclear: lost.length }]);
  expect(await stage.run('alice', 'jobs', 'approve', id, '--yes')).toMatchObject({ code: 4 });
  await typed('bob', 'jobs', 'approve', id, '--yes', '--wait');
  await untilDoubts(lost.length);

  await stage.end('gateway');
  // A gateway takes "not executed" once 15 minutes have passed.
  await stage.startGateway({ PLATFORM_TIMEOUT_MS: '500', CLOCK_OFFSET_MS: String(16 * 60_000) });
  for (const orderId of lost) {
    const order = `${merchant}/${orderId}`;
    const resolved = await typed('alice', 'resolve', order, 'not-executed', ...reason, '--yes');
    expect(resolved).toMatchObject({ code: 7 });
    expect(await typed('bob', 'approve', order, '--yes')).toMatchObject({ code: 0 });
  }
  await untilDoubts(0);
  expect(await typed('alice', 'reconcile', file, '--merchant', merchant, ...reason)).toMatchObject({ code: 0 });
  expect(commands).toBeLessThanOrEqual(MOST_COMMANDS);

  const executed = new Map(operations.map((one) => [one.orderId, one]));
  const resolved = new Map(results.events.filter(({ type }) => type === 'payment.authorize.doubt_resolved').map(({ data }) => [data.orderId, data])); // prettier-ignore
  const told = all.map((orderId) => {
    const { outcome, transactionId } = resolved.get(orderId) as { outcome?: string; transactionId?: string };
    return [orderId, outcome, transactionId];
  });
  const wanted = all.map((orderId) => {
    const { finalExecCode, transactionId } = executed.get(orderId) ?? {};
    const outcome = finalExecCode === undefined ? 'not_executed' : finalExecCode === '0000' ? 'succeeded' : 'refused';
    return [orderId, outcome, transactionId];
  });
  expect(told).toEqual(wanted);
  expect(wanted.filter(([, outcome]) => outcome === 'refused')).toHaveLength(arrived.filter(isRefused).length);
  expect((await ledger()).calls).toHaveLength(MANY);
}, 900_000);
