import { aPartnerBAuthorization, waitFor } from '@tranche/testing';
import { joinOperationsStage, type Item } from './operations-stack.js';

/** Resolutions of this merchant need a second person. */
const merchant = 'shop-approval';
const ids = ['by-file-1', 'by-file-2'];

interface Job {
  id: string;
  status: string;
  counts: Record<string, number>;
  done: number;
  total: number;
}
interface Entry {
  key: string;
  verdict: string;
  result?: string;
}

let stack: Awaited<ReturnType<typeof joinOperationsStage>>;
beforeAll(async () => (stack = await joinOperationsStage()));
afterAll(() => stack.stop());

async function exported(plant = ''): Promise<string> {
  const { url } = stack.gateway.apps['platform-simulator']!;
  const query = new URLSearchParams({ identifier: `Test ${merchant}`, plant });
  const response = await fetch(`${url}/simulator/export?${query}`);
  expect(response.status).toBe(200);
  // `text` would leave the byte order mark out.
  return Buffer.from(await response.arrayBuffer()).toString('utf8');
}
const untilDone = (id: string) =>
  waitFor(async () => (await stack.ask<Job>('alice', `jobs/${id}`)).body.status === 'done', {
    what: 'the job to be done',
  });

it('doubts are resolved by the export, by two people, and the export then agrees with the orders', async () => {
  const { ask } = stack;
  for (const orderId of ids) {
    await stack.fault({ match: { orderPrefix: orderId }, fault: { executeThenReset: true, withoutForm: '0000' } });
    await stack.send('payment.authorize', aPartnerBAuthorization({ merchant, orderId }));
  }
  await Promise.all(ids.map((orderId) => stack.listed(merchant, orderId, 'doubt')));

  const reason = 'The export has them, ticket 815';
  const csv = await exported();
  const made = await ask<Job>('alice', 'jobs', { kind: 'resolve-by-file', merchant, reason, csv });
  expect(made).toMatchObject({ status: 201, body: { status: 'planned', counts: { propose: expect.any(Number) } } });
  const { id } = made.body;
  expect(await ask('alice', `jobs/${id}/start`, {})).toMatchObject({ status: 200, body: { status: 'running' } });
  await untilDone(id);
  expect(await ask('alice', `jobs/${id}/approve`, {})).toMatchObject({ status: 403 });
  expect(await ask('bob', `jobs/${id}/approve`, {})).toMatchObject({ status: 200, body: { status: 'running' } });
  await untilDone(id);
  const { body } = await ask<{ items: Entry[] }>('alice', `jobs/${id}/items?result=approved`);
  expect(body.items.map(({ key }) => key)).toEqual(expect.arrayContaining(ids.map((one) => `${merchant}/${one}`)));
  const isGone = async () => {
    const { body: queue } = await ask<{ items: Item[] }>(
      'alice',
      `attention?merchant=${merchant}&kind=doubt&limit=500`,
    );
    return queue.items.every(({ orderId }) => !ids.includes(orderId));
  };
  await waitFor(isGone, { what: 'the doubts to be gone' });

  const compared = await ask<Job>('alice', 'jobs', { kind: 'reconcile', merchant, reason, csv });
  const { body: matched } = await ask<{ items: Entry[] }>(
    'alice',
    `jobs/${compared.body.id}/items?verdict=matched&limit=500`,
  );
  expect(matched.items.map(({ key }) => key)).toEqual(expect.arrayContaining(ids.map((one) => `${merchant}/${one}`)));
});

it('planted differences are found, each as what it is', async () => {
  const csv = await exported('extra,amount,outcome');
  const reason = 'An exercise with planted faults';
  const { body } = await stack.ask<Job>('alice', 'jobs', { kind: 'reconcile', merchant, reason, csv });
  const of = async (verdict: string) =>
    (await stack.ask<{ items: Entry[] }>('alice', `jobs/${body.id}/items?verdict=${verdict}`)).body.items.length;
  expect(await of('only-there')).toBeGreaterThanOrEqual(1);
  expect((await of('other-amount')) + (await of('other-outcome'))).toBeGreaterThanOrEqual(1);
});

it('a file of many rows is compared', async () => {
  const rows = Array.from({ length: 1_000 }, (_, n) => `many-${n};T-${n};authorization;1;0000;2026-03-01T10:00:00Z`);
  const csv = `ORDERID;TRANSACTIONID;OPERATIONTYPE;AMOUNT;EXECCODE;DATE\n${rows.join('\n')}\n`;
  const asked = { kind: 'reconcile', merchant, reason: 'A file of many rows', csv };
  const { status, body } = await stack.ask<Job>('alice', 'jobs', asked);
  expect([status, body.counts?.['only-there']]).toEqual([201, rows.length]);
});

it('a file with faults begins nothing', async () => {
  const csv = 'ORDERID;TRANSACTIONID\nx;y\n';
  const answer = await stack.ask<{ code: string; faults: object[] }>('alice', 'jobs', {
    kind: 'reconcile',
    merchant,
    reason: 'A file with faults',
    csv,
  });
  expect(answer).toMatchObject({ status: 422, body: { code: 'export_unreadable' } });
  expect(answer.body.faults).toHaveLength(4);
});
