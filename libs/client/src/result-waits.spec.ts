import type { CloudEvent, PaymentEvent } from '@tranche/contracts';
import { aVoid } from '@tranche/testing';
import { commandMessage } from './commands.js';
import { PublishError } from './errors.js';
import { ResultWaits } from './result-waits.js';

const message = commandMessage(
  'payment.void',
  'partner-a',
  aVoid(),
  { id: 'v1' },
  { source: '/shop', now: new Date() },
);
const result = (commandId: string): CloudEvent<PaymentEvent> => ({
  id: 'e1',
  source: '/gateway',
  type: 'payment.void.succeeded',
  time: '2028-01-31T10:00:00Z',
  data: { merchant: 'shop-fr', orderId: 'order-1', commandId },
});

it('listens before it publishes', async () => {
  const steps: string[] = [];
  const listen = () => Promise.resolve().then(() => void steps.push('listening'));
  const waits = new ResultWaits({ maxWaits: 1, listen });
  const publish = () => {
    steps.push('publishing');
    waits.offer(result('v1'));
    return Promise.resolve();
  };
  await expect(waits.resultOf(message, {}, publish)).resolves.toMatchObject({ id: 'e1' });
  expect(steps).toEqual(['listening', 'publishing']);
  expect(waits.count).toBe(0);
});

it('gives one result to all who wait for it', async () => {
  const waits = new ResultWaits({ maxWaits: 2, listen: () => Promise.resolve() });
  let published = 0;
  const publish = () => Promise.resolve(++published);
  const both = [waits.resultOf(message, {}, publish), waits.resultOf(message, {}, publish)];
  await Promise.resolve();
  waits.offer(result('another'));
  waits.offer(result('v1'));
  expect((await Promise.all(both)).map(({ id }) => id)).toEqual(['e1', 'e1']);
});

it('says that nothing was written when it could not begin to listen in time, and publishes nothing later', async () => {
  let begin: () => void = () => undefined;
  const listening = new Promise<void>((resolve) => (begin = resolve));
  const waits = new ResultWaits({ maxWaits: 1, topicPrefix: 'shop.', listen: () => listening });
  const publish = jest.fn(() => Promise.resolve());
  const error: unknown = await waits.resultOf(message, { timeoutMs: 5 }, publish).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(PublishError);
  expect(error).toMatchObject({
    commandId: 'v1',
    topic: 'shop.payments.commands.partner-a.v1',
    mayBeWritten: false,
  });
  begin();
  await listening;
  await Promise.resolve();
  expect(publish).not.toHaveBeenCalled();
});

it('passes on why publishing failed', async () => {
  const waits = new ResultWaits({ maxWaits: 1, listen: () => Promise.resolve() });
  await expect(waits.resultOf(message, {}, () => Promise.reject(new Error('no room')))).rejects.toThrow('no room');
  expect(waits.count).toBe(0);
});

it('takes the rejection of another command with the same id for no result', async () => {
  const waits = new ResultWaits({ maxWaits: 1, listen: () => Promise.resolve() });
  const waiting = waits.resultOf(message, {}, () => Promise.resolve());
  await Promise.resolve();
  const faults = [{ path: 'ce_id', code: 'id_reused' as const, message: 'was used for a command with other content' }];
  const { data } = result('v1');
  waits.offer({
    ...result('v1'),
    id: 'e0',
    type: 'payment.command.rejected',
    data: { ...data, faults, knownState: 'succeeded' },
  });
  waits.offer(result('v1'));
  expect((await waiting).id).toBe('e1');
});

it('says at its time-out that the id was used for other content, and what became of the command that counts', async () => {
  const waits = new ResultWaits({ maxWaits: 1, listen: () => Promise.resolve() });
  const waiting = waits.resultOf(message, { timeoutMs: 20 }, () => Promise.resolve());
  const faults = [{ path: 'ce_id', code: 'id_reused' as const, message: 'was used for a command with other content' }];
  waits.offer({
    ...result('v1'),
    type: 'payment.command.rejected',
    data: { ...result('v1').data, faults, knownState: 'succeeded' },
  });
  await expect(waiting).rejects.toMatchObject({
    knownState: 'succeeded',
    message: expect.stringContaining('is succeeded') as string,
  });
});
