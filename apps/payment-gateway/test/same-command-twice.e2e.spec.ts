import { aPartnerAAuthorization, aRefund } from '@tranche/testing';
import { joinGatewayStage, type GatewayStack } from './gateway-stack.js';

let stack: GatewayStack;
beforeAll(async () => (stack = await joinGatewayStage()));
afterAll(() => stack.stop());

it('sends a command that comes twice once, and answers twice with the same event', async () => {
  const data = aPartnerAAuthorization({ orderId: 'same-command-twice' });
  await stack.send('payment.authorize', data, 'command-twice');
  const first = await stack.event('same-command-twice', 'payment.authorize.redirect_required');
  await stack.send('payment.authorize', data, 'command-twice');
  const second = await stack.event('same-command-twice', 'payment.authorize.redirect_required', 2);
  expect(second).toEqual({ ...first, traceparent: second.traceparent });
  expect(second.data.redirectHtml).toBeDefined();
  expect((await stack.ledgerOf('same-command-twice')).calls).toHaveLength(1);
});

it('rejects a command that uses the id again for another content', async () => {
  const data = aPartnerAAuthorization({ orderId: 'same-command-reused' });
  await stack.send('payment.authorize', data, 'command-reused');
  await stack.event('same-command-reused', 'payment.authorize.redirect_required');
  await stack.send('payment.authorize', { ...data, amount: data.amount + 1 }, 'command-reused');
  const rejected = await stack.event('same-command-reused', 'payment.command.rejected');
  expect(rejected.data.faults).toEqual([expect.objectContaining({ code: 'id_reused' })]);
  expect((await stack.ledgerOf('same-command-reused')).calls).toHaveLength(1);
});

it('sends two commands at once with the same id once', async () => {
  const data = aPartnerAAuthorization({ orderId: 'same-command-at-once' });
  await Promise.all([
    stack.send('payment.authorize', data, 'command-at-once'),
    stack.send('payment.authorize', data, 'command-at-once'),
  ]);
  await stack.event('same-command-at-once', 'payment.authorize.redirect_required', 2);
  expect((await stack.ledgerOf('same-command-at-once')).calls).toHaveLength(1);
});

it('tells the result to whoever asks right after it was told once more', async () => {
  const data = aPartnerAAuthorization({ orderId: 'same-command-soon' });
  await stack.send('payment.authorize', data, 'command-soon');
  for (const times of [1, 2, 3]) {
    await stack.event('same-command-soon', 'payment.authorize.redirect_required', times);
    await stack.send('payment.authorize', data, 'command-soon');
  }
  await stack.event('same-command-soon', 'payment.authorize.redirect_required', 4);
  expect((await stack.ledgerOf('same-command-soon')).calls).toHaveLength(1);
});

it('tells the result of a command that comes 100 times at once far fewer times, and of the others of its order all the same', async () => {
  const data = aPartnerAAuthorization({ orderId: 'same-command-flood' });
  await stack.send('payment.authorize', data, 'command-flood');
  await stack.event('same-command-flood', 'payment.authorize.redirect_required');
  await Promise.all(Array.from({ length: 100 }, () => stack.send('payment.authorize', data, 'command-flood')));
  await stack.send('payment.authorize', { ...data, amount: data.amount + 1 }, 'command-flood');
  await stack.event('same-command-flood', 'payment.command.rejected');
  // The journal refuses this one after all repeats, so its event shows that theirs have been published.
  await stack.send('payment.refund', aRefund({ orderId: 'same-command-flood' }));
  await stack.event('same-command-flood', 'payment.refund.rejected');
  const published =
    stack.typesOf('same-command-flood').filter((type) => type === 'payment.authorize.redirect_required').length - 1;
  expect(published).toBeGreaterThanOrEqual(1);
  // At most one answer a second by Kafka's time (republish-throttle.spec.ts). The number of seconds depends on the machine.
  expect(published).toBeLessThan(50);
});
