import { aPartnerAAuthorization } from '@tranche/testing';
import { startGatewayStack, type GatewayStack } from './gateway-stack.js';

const ANSWERS: [orderId: string, fault: object, reason: string, executed: number][] = [
  ['garbage-executed', { garbage: 'after' }, 'unreadable_answer', 1],
  ['garbage-not-executed', { garbage: 'before' }, 'unreadable_answer', 0],
  ['empty', { emptyAnswer: 'after' }, 'unreadable_answer', 1],
  ['truncated', { truncate: true }, 'connection_lost', 1],
  ['in-drops', { slowDrip: 30_000 }, 'timeout', 1],
  ['executed-and-hanging', { hang: 'after' }, 'timeout', 1],
  ['hanging', { hang: 'before' }, 'timeout', 0],
  ['of-another-operation', { wrongOperationType: true }, 'wrong_operation_type', 1],
  ['redirect-executed', { status3xx: { when: 'after', status: 307 } }, 'http_status', 1],
  ['redirect-not-executed', { status3xx: { when: 'before', status: 302 } }, 'http_status', 0],
  ['too-many-requests', { status4xx: { when: 'before', status: 429 } }, 'http_status', 0],
];

let stack: GatewayStack;
beforeAll(async () => {
  stack = await startGatewayStack({ PLATFORM_TIMEOUT_MS: '5000' });
  for (const [orderId, fault] of ANSWERS) await stack.fault({ match: { orderPrefix: orderId }, fault });
  // All at once, so that their time-outs pass together.
  await Promise.all(ANSWERS.map(([orderId]) => stack.send('payment.authorize', aPartnerAAuthorization({ orderId }))));
});
afterAll(() => stack.stop());

it.each(ANSWERS)(
  'an answer that says nothing is a doubt, and the call is not repeated: %s',
  async (orderId, _fault, reason, executed) => {
    expect((await stack.event(orderId, 'payment.authorize.in_doubt')).data.flags).toEqual([reason]);
    const { calls, operations } = await stack.ledgerOf(orderId);
    expect([calls.length, operations.length]).toEqual([1, executed]);
  },
);

it('a connection that is reset while the request is read is a doubt too', async () => {
  const orderId = 'half-read';
  await stack.fault({ match: { times: 1 }, fault: { resetWhileReading: true } });
  await stack.send('payment.authorize', aPartnerAAuthorization({ orderId }));
  expect((await stack.event(orderId, 'payment.authorize.in_doubt')).data.flags).toEqual(['connection_lost']);
  expect(await stack.ledgerOf(orderId)).toMatchObject({ calls: [], operations: [] });
});
