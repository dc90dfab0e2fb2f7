import { aPartnerAAuthorization } from '@tranche/testing';
import { joinGatewayStage, type GatewayStack } from './gateway-stack.js';

const ANSWERS: [orderId: string, fault: object, reason: string, executed: number][] = [
  ['says-nothing-garbage-executed', { garbage: 'after' }, 'unreadable_answer', 1],
  ['says-nothing-garbage-not-executed', { garbage: 'before' }, 'unreadable_answer', 0],
  ['says-nothing-empty', { emptyAnswer: 'after' }, 'unreadable_answer', 1],
  ['says-nothing-truncated', { truncate: true }, 'connection_lost', 1],
  ['says-nothing-in-drops', { slowDrip: 60_000 }, 'timeout', 1],
  ['says-nothing-executed-and-hanging', { hang: 'after' }, 'timeout', 1],
  ['says-nothing-hanging', { hang: 'before' }, 'timeout', 0],
  ['says-nothing-of-another-operation', { wrongOperationType: true }, 'wrong_operation_type', 1],
  ['says-nothing-redirect-executed', { status3xx: { when: 'after', status: 307 } }, 'http_status', 1],
  ['says-nothing-redirect-not-executed', { status3xx: { when: 'before', status: 302 } }, 'http_status', 0],
  ['says-nothing-too-many-requests', { status4xx: { when: 'before', status: 429 } }, 'http_status', 0],
];

let stack: GatewayStack;
beforeAll(async () => {
  stack = await joinGatewayStage();
  for (const [orderId, fault] of ANSWERS) await stack.fault({ match: { orderPrefix: orderId }, fault });
  // Sent together, so that their timeouts run at the same time.
  await Promise.all(ANSWERS.map(([orderId]) => stack.send('payment.authorize', aPartnerAAuthorization({ orderId }))));
});
afterAll(() => stack.stop());

it.each(ANSWERS)(
  'an answer that says nothing is a doubt, and the call is not repeated: %s [Platform.response-format]',
  async (orderId, _fault, reason, executed) => {
    expect((await stack.event(orderId, 'payment.authorize.in_doubt')).data.flags).toEqual([reason]);
    const { calls, operations } = await stack.ledgerOf(orderId);
    expect([calls.length, operations.length]).toEqual([1, executed]);
  },
);
