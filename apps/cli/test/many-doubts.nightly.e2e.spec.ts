import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aPartnerBAuthorization, waitFor } from '@tranche/testing';
import { joinCliStage, type Item, type Person } from './cli-stage.js';

/** No other spec has doubts of this merchant. */
const merchant = 'shop-many';
const MANY = 256;
const MOST_COMMANDS = 10;

const folder = mkdtempSync(join(tmpdir(), 'tranche-many-'));
let stage: Awaited<ReturnType<typeof joinCliStage>>;
let commands = 0;
beforeAll(async () => (stage = await joinCliStage()));
afterAll(async () => {
  await stage.stop();
  rmSync(folder, { recursive: true });
});

const typed = (person: Person, ...args: string[]) => (commands++, stage.run(person, ...args));

async function doubts(person: Person = 'alice'): Promise<Item[]> {
  const { out } = await stage.run(person, 'attention', '--kind', 'doubt', '--merchant', merchant, '--limit', '500', '-o', 'json');
  return (JSON.parse(out) as { items: Item[] }).items;
} // prettier-ignore

/** The platform executed all of them, and its notifications are lost. */
async function exported(): Promise<string> {
  const { url } = stage.gateway.apps['platform-simulator']!;
  const ask = async () => {
    const query = new URLSearchParams({ identifier: `Test ${merchant}` });
    return Buffer.from(await (await fetch(`${url}/simulator/export?${query}`)).arrayBuffer()).toString('utf8');
  };
  const [, ...rows] = (await ask()).trim().split('\r\n');
  for (const row of rows) {
    const body = JSON.stringify({ decision: 'approve' });
    const headers = { 'content-type': 'application/json' };
    await fetch(`${url}/simulator/transactions/${row.split(';')[1]}/decide`, { method: 'POST', headers, body });
  }
  return ask();
}

it(`${MANY} doubts are closed by one export and two people in at most ${MOST_COMMANDS} commands`, async () => {
  await stage.run('alice', 'sim', 'fault', 'executeThenReset', '--order', 'many-');
  await Promise.all(
    Array.from({ length: MANY }, (_, at) =>
      stage.send('payment.authorize', aPartnerBAuthorization({ merchant, orderId: `many-${at}` })),
    ),
  );
  await waitFor(async () => (await doubts()).length === MANY, { what: `${MANY} doubts`, timeoutMs: 300_000 });
  const file = join(folder, 'export.csv');
  writeFileSync(file, await exported());

  await typed('alice', 'attention', '--kind', 'doubt', '--merchant', merchant);
  const reason = ['--reason', 'The export has them, ticket 815'];
  const byFile = ['jobs', 'resolve-by-file', file, '--merchant', merchant, ...reason];
  const proposed = await typed('alice', ...byFile, '--yes', '--wait', '-o', 'json');
  expect([proposed.code, proposed.err]).toEqual([7, expect.stringContaining('another person approves it')]);
  const { id } = JSON.parse(proposed.out) as { id: string };
  expect(await typed('alice', 'jobs', 'approve', id, '--yes')).toMatchObject({ code: 4 });
  expect(await typed('bob', 'jobs', 'approve', id, '--yes', '--wait')).toMatchObject({ code: 0 });
  await waitFor(async () => (await doubts()).length === 0, { what: 'an empty queue', timeoutMs: 120_000 });
  expect(await typed('alice', 'reconcile', file, '--merchant', merchant, ...reason)).toMatchObject({ code: 0 });
  expect(commands).toBeLessThanOrEqual(MOST_COMMANDS);
}, 900_000);
