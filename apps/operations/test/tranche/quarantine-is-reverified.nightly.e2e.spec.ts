import { operatorKey, startDrillWorld, waitFor, type DrillWorld } from '@tranche/testing';
import { aTerminal } from './cli-stage.js';

interface Entry {
  id: string;
  closed?: { verdict: string };
}

let world: DrillWorld;
let terminal: ReturnType<typeof aTerminal>;
beforeAll(async () => {
  world = await startDrillWorld({ notificationKey: 'a wrong key' });
  terminal = aTerminal({ ...world.env, TRANCHE_TOKEN: operatorKey('alice') });
}, 240_000);
afterAll(async () => {
  terminal?.close();
  await world?.stop();
});

async function asked<T>(...args: string[]): Promise<T> {
  const { out, err } = await terminal.run([...args, '-o', 'json']);
  if (out === '') throw new Error(err);
  return JSON.parse(out) as T;
}
const listed = async (...more: string[]) => (await asked<{ entries: Entry[] }>('quarantine', 'list', ...more)).entries;
const reverify = async (...more: string[]) =>
  (await terminal.run(['quarantine', 'reverify', ...more], { MERCHANTS_FILE: world.merchantsFile })).code;

async function inQueue(): Promise<number | undefined> {
  const { counts } = await asked<{ counts: { kind: string; number: number }[] }>('attention', '--kind', 'quarantine');
  return counts.find(({ kind }) => kind === 'quarantine')?.number;
}

it('what a wrong key refused is listed, verified again and gone; a forgery stays, and nothing counts twice', async () => {
  // A forged notification at once, and the genuine one later; the key that ingest has fits neither.
  expect((await terminal.run(['drill', 'start', 'forged'])).code).toBe(0);
  await waitFor(async () => (await listed()).length === 2, { what: 'both in quarantine', timeoutMs: 60_000 });
  expect(await inQueue()).toBe(2);
  const both = (await listed()).map(({ id }) => id);

  expect(await reverify('--dry-run')).toBe(0);
  expect(await listed('--closed')).toEqual([]);
  expect(await reverify()).toBe(0);
  await waitFor(async () => (await inQueue()) === 1, { what: 'a queue with the forgery alone' });
  const [forged, ...others] = await listed();
  expect(others).toEqual([]);
  const closed = await listed('--closed');
  expect(closed).toEqual([expect.objectContaining({ closed: expect.objectContaining({ verdict: 'published' }) })]);
  expect([forged!.id, closed[0]!.id].toSorted()).toEqual(both.toSorted());
  const check = async () => (await terminal.run(['drill', 'check', 'forged'])).code === 0;
  await waitFor(check, { what: 'the payment to end by its genuine notification' });

  expect(await reverify()).toBe(0);
  expect((await listed()).map(({ id }) => id)).toEqual([forged!.id]);
}, 180_000);
