import { AUDIT_TYPE, decodeCloudEvent, TOPICS, validateAuditRecord, type AuditRecord } from '@tranche/contracts';
import { aPartnerBAuthorization, waitFor } from '@tranche/testing';
import { joinGatewayStage, type GatewayStack } from './gateway-stack.js';
import { keptRecords } from './kept-records.js';
import { askOperators } from './two-operators.js';

/** Resolutions of this merchant need a second person. */
const merchant = 'shop-approval';

let stack: GatewayStack;
beforeAll(async () => (stack = await joinGatewayStage()));
afterAll(() => stack.stop());

async function audited(): Promise<AuditRecord[]> {
  const records = await keptRecords(stack.prefix, TOPICS.operationsAudit);
  return records.map(({ headers, value }) => {
    const { event } = decodeCloudEvent({ headers, value });
    expect(event?.type).toBe(AUDIT_TYPE);
    const { value: record, faults } = validateAuditRecord(event?.data);
    expect(faults).toEqual([]);
    return record!;
  });
}

it('who saw the order, said, approved and was refused is in the audit, under their names', async () => {
  const orderId = 'audited-1';
  await stack.fault({ match: { orderPrefix: orderId }, fault: { executeThenReset: true } });
  await stack.send('payment.authorize', aPartnerBAuthorization({ merchant, orderId }));
  await stack.event(orderId, 'payment.authorize.in_doubt');
  const ask = <T = { code: string }>(operator: 'alice' | 'bob', path: string, body?: object) =>
    askOperators<T>(stack.gateway, operator, path, body);
  const doubt = await waitFor(
    async () => {
      const list = `operations?state=in_doubt&merchant=${merchant}`;
      const { body } = await ask<{ operations: { id: string }[] }>('alice', list);
      return body.operations[0];
    },
    { what: 'a doubt in the list' },
  );
  const reason = 'The back office shows it, ticket 813 of the audit';
  const proposed = await ask<{ id: string }>('alice', `operations/${doubt.id}/resolve`, {
    outcome: 'succeeded',
    reason,
  });
  expect(proposed).toMatchObject({ status: 202, body: { why: 'amount' } });
  const approve = `proposals/${proposed.body.id}/approve`;
  expect(await ask('alice', approve, {})).toMatchObject({ status: 403, body: { code: 'same_operator' } });
  expect(await ask('bob', approve, {})).toMatchObject({ status: 200, body: { state: 'succeeded' } });
  expect((await ask('bob', `orders/${merchant}/${orderId}`)).status).toBe(200);
  const stranger = await fetch(`${stack.gateway.managementUrl}/v1/orders/${merchant}/${orderId}`);
  expect(stranger.status).toBe(401);

  const order = { merchant, orderId };
  const proposal = proposed.body.id;
  const wanted: AuditRecord[] = [
    { action: 'resolution.submit', result: 'asked', operator: 'alice', outcome: 'succeeded', ...order },
    { action: 'resolution.submit', result: 'proposed', operator: 'alice', outcome: 'succeeded', proposal, ...order },
    { action: 'resolution.approve', result: 'asked', operator: 'alice', proposal },
    { action: 'resolution.approve', result: 'refused', operator: 'alice', proposal, code: 'same_operator' },
    { action: 'resolution.approve', result: 'asked', operator: 'bob', proposal },
    { action: 'resolution.approve', result: 'done', operator: 'bob', proposal, ...order },
    { action: 'order.read', result: 'done', operator: 'bob', ...order },
    { action: 'order.read', result: 'refused', code: 'unauthorized', ...order },
  ];
  const missing = async () => {
    const records = await audited();
    return wanted.filter((one) => !records.some((record) => isPartOf(one, record)));
  };
  await waitFor(async () => (await missing()).length === 0, {
    what: 'all of the audit',
  }).catch(async () => expect(await missing()).toEqual([]));
  const all = await audited();
  expect(JSON.stringify(all)).not.toContain(reason);
  expect(all.filter(({ action, result }) => action === 'doubts.read' && result === 'done')).toEqual([]);
}, 120_000);

const isPartOf = (one: AuditRecord, record: AuditRecord): boolean =>
  Object.entries(one).every(([name, value]) => record[name as keyof AuditRecord] === value);
