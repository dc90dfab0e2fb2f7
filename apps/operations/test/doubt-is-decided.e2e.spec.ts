import { aPartnerBAuthorization, waitFor } from '@tranche/testing';
import { joinOperationsStage, type Item } from './operations-stack.js';

/** Resolutions of this merchant need a second person. */
const merchant = 'shop-approval';
const orderId = 'listed-doubt-1';

let stack: Awaited<ReturnType<typeof joinOperationsStage>>;
beforeAll(async () => (stack = await joinOperationsStage()));
afterAll(() => stack.stop());

it('a doubt is in the queue, is decided by two people through operations, and is gone', async () => {
  const { ask } = stack;
  await stack.fault({ match: { orderPrefix: orderId }, fault: { executeThenReset: true } });
  await stack.send('payment.authorize', aPartnerBAuthorization({ merchant, orderId }));
  const doubt = await stack.listed(merchant, orderId, 'doubt');
  expect(doubt.about).toMatchObject({ operation: 'authorize', reason: 'connection_lost' });

  const reason = 'The back office shows it, ticket 814';
  const said = { outcome: 'succeeded', reason };
  const proposed = await ask<{ id: string }>('alice', `operations/${doubt.id}/resolve`, said);
  expect(proposed).toMatchObject({ status: 202, body: { proposedBy: 'alice' } });
  const waits = async (person: 'alice' | 'bob') => {
    const { body } = await ask<{ items: Item[] }>(person, `attention?merchant=${merchant}&kind=proposal`);
    return body.items.map(({ orderId: of }) => of).includes(orderId);
  };
  expect([await waits('alice'), await waits('bob')]).toEqual([false, true]);
  const approve = `proposals/${proposed.body.id}/approve`;
  expect(await ask('alice', approve, {})).toMatchObject({ status: 403, body: { code: 'same_operator' } });
  expect(await ask('viewer', approve, {})).toMatchObject({ status: 403, body: { code: 'role_needed' } });
  expect(await ask('bob', approve, {})).toMatchObject({ status: 200, body: { state: 'succeeded' } });

  const order = `orders/${merchant}/${orderId}`;
  const isDone = async () => {
    const { body } = await ask<{ status: string; attention: Item[] }>('alice', order);
    return body.status === 'authorized' && body.attention.every(({ kind }) => kind !== 'doubt');
  };
  await waitFor(isDone, { what: 'the order to be authorized' });
  const { body: timeline } = await ask<{
    why: Record<string, { kind: string }>;
    entries: { kind: string; topic: string }[];
  }>('alice', `${order}/timeline`);
  expect(timeline.why.status).toMatchObject({ kind: 'EVIDENCE' });
  const wanted = [
    'INTENT',
    'IN_DOUBT',
    'EVIDENCE',
    'payment.authorize.in_doubt',
    'payment.authorize.doubt_resolved',
    'resolution.submit',
  ];
  await waitFor(
    async () => {
      const { body } = await ask<typeof timeline>('alice', `${order}/timeline`);
      const found = body.entries.map(({ kind }) => kind);
      const missing = wanted.filter((kind) => !found.includes(kind));
      if (missing.length > 0) throw new Error(`${missing.join()} missing among ${found.join()}`);
      return true;
    },
    { what: 'records, events and audit in the timeline' },
  );
});

it('what was folded here agrees with the index of the gateway', async () => {
  const compared = async (result: string) => {
    const metrics = await (await fetch(`${stack.operations.managementUrl}/metrics`)).text();
    const name = 'tranche_operations_compared_orders_total';
    return Number(new RegExp(`^${name}\\{result="${result}".* (\\S+)$`, 'm').exec(metrics)?.[1]);
  };
  await waitFor(async () => (await compared('same')) > 0, { what: 'orders to be compared' });
  expect(await compared('different')).toBe(0);
});
