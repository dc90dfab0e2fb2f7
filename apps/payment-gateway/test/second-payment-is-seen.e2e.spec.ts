import { aPartnerAAuthorization, aVoid, waitFor } from '@tranche/testing';
import { randomUUID } from 'node:crypto';
import { joinGatewayStage, type GatewayStack } from './gateway-stack.js';
import { askOperators } from './two-operators.js';

// No other spec makes conflicts of this merchant.
const merchant = 'shop-counted';
const orderId = 'paid-twice';

let stack: GatewayStack;
beforeAll(async () => (stack = await joinGatewayStage()));
afterAll(() => stack.stop());

interface Conflict {
  orderId: string;
  reason: string;
  amount: number;
  payments: { transactionId: string; amount: number }[];
}

async function conflicts(): Promise<Conflict[]> {
  const { body } = await askOperators<{ conflicts: Conflict[] }>(
    stack.gateway,
    'alice',
    `conflicts?merchant=${merchant}`,
  );
  return body.conflicts.filter((conflict) => conflict.orderId === orderId);
}

/** 0 where no order has such a conflict. */
async function sample(name: string): Promise<number> {
  const text = await (await fetch(`${stack.gateway.managementUrl}/metrics`)).text();
  const labels = `merchant="${merchant}",reason="two_payments_succeeded"`;
  const line = text.split('\n').find((other) => other.startsWith(`${name}{${labels}`));
  return Number(line?.split(' ').at(-1) ?? 0);
}
const counted = () => sample('tranche_conflicts_total');
const open = async () => [await sample('tranche_conflicts'), await sample('tranche_conflict_amount_minor')];

it('a customer who paid twice is counted, and listed with order and amounts, until one payment is voided', async () => {
  const before = await counted();
  const [openBefore = 0, moneyBefore = 0] = await open();
  const [first, second] = [randomUUID(), randomUUID()];
  const order = aPartnerAAuthorization({ merchant, orderId });
  await stack.send('payment.authorize', order, first);
  const form = await stack.event(orderId, 'payment.authorize.redirect_required');
  await stack.send('payment.authorize', { ...order, supersedes: first }, second);
  const newForm = await stack.event(orderId, 'payment.authorize.redirect_required', 2);
  const paid = [form, newForm].map(({ data }) => data.transactionId ?? '');
  for (const transactionId of paid) {
    const notification = { merchant, orderId, operationType: 'authorization', transactionId, execCode: '0000' };
    await stack.notify({ ...notification, amount: order.amount, extraData: undefined });
  }
  const { data } = await stack.event(orderId, 'payment.conflict.detected');
  expect(data).toMatchObject({ flags: ['two_payments_succeeded'], amount: order.amount });

  const [conflict] = await waitFor(async () => ((await conflicts()).length > 0 ? conflicts() : undefined), {
    what: 'the conflict in the list',
  });
  expect(conflict).toMatchObject({ reason: 'two_payments_succeeded', amount: order.amount });
  expect(conflict?.payments).toMatchObject(paid.map((transactionId) => ({ transactionId, amount: order.amount })));
  await waitFor(async () => (await counted()) === before + 1, { what: 'the conflict in the metric' });
  const isOpen = async () => (await open()).join() === [openBefore + 1, moneyBefore + order.amount].join();
  await waitFor(isOpen, { what: 'the conflict and the second payment among what is open' });

  await stack.send('payment.void', aVoid({ merchant, orderId, transactionId: paid[1] }));
  await stack.event(orderId, 'payment.void.succeeded');
  await waitFor(async () => (await conflicts()).length === 0, { what: 'a list without it' });
  const isClosed = async () => (await open()).join() === [openBefore, moneyBefore].join();
  await waitFor(isClosed, { what: 'the end of it among what is open' });
}, 120_000);
