import { joinGatewayStage, type GatewayStack } from './gateway-stack.js';
import { captureInDoubt, lookUpsIn, nextLookUp } from './looked-up-orders.js';

let stack: GatewayStack;
beforeAll(async () => (stack = await joinGatewayStage()));
afterAll(() => stack.stop());

it('asks again where a look-up had no answer, and finds what was executed', async () => {
  const orderId = 'look-up-executed';
  const sentMs = Date.now();
  await stack.fault({
    match: { operation: 'getTransactions', orderPrefix: orderId, times: 1 },
    fault: { status5xx: { when: 'before', status: 503 } },
  });
  await captureInDoubt(stack, orderId, { fault: { executeThenReset: true } });
  expect(Date.parse((await nextLookUp(stack, orderId)).at ?? '')).toBeGreaterThan(sentMs + 1_000);

  const { data } = await stack.event(orderId, 'payment.capture.doubt_resolved');
  const ledger = await stack.ledgerOf(orderId);
  expect(data).toMatchObject({
    ...{ origin: 'look-up', outcome: 'succeeded', execCode: '0000', extraData: 'parcel 7' },
    transactionId: ledger.operations[1]?.transactionId,
  });
  expect(lookUpsIn(ledger).length).toBeGreaterThanOrEqual(2);
  expect(ledger.calls.filter(({ operation }) => operation === 'capture')).toHaveLength(1);
  expect(await nextLookUp(stack, orderId)).toEqual({ status: 'captured', at: undefined });
}, 120_000);
