import { EVENT_EXAMPLES, EVENT_TYPES, type PaymentEvent } from '@tranche/contracts';
import { silentLog } from '@tranche/runtime';
import { aCapture, aCardPayment, aPartnerAAuthorization, aPartnerBAuthorization, aRefund } from '@tranche/testing';
import { InvalidEventError, PublishError } from './errors.js';
import { InMemoryTranche } from './testing.js';

const pay = aCardPayment({ orderId: 'order-1' });
const conflict = { merchant: 'shop-fr', orderId: 'o', flags: ['other_amount'] };

it('answers a command as its script says, with what follows from the command filled in', async () => {
  const tranche = new InMemoryTranche();
  tranche.on('payment.pay', ({ data }) => ({
    type: 'payment.pay.succeeded',
    data: { amount: data.amount, transactionId: 'T1' },
  }));
  const { type, data, causationid, correlationid } = await tranche.publisher.payAndWait(pay, {
    id: 'p1',
    correlationId: 'basket',
  });
  expect({ type, causationid, correlationid }).toEqual({
    type: 'payment.pay.succeeded',
    causationid: 'p1',
    correlationid: 'basket',
  });
  const operation = {
    merchant: 'shop-fr',
    orderId: 'order-1',
    commandId: 'p1',
    operation: 'pay',
    attempt: 1,
    origin: 'answer',
  };
  expect(data).toEqual({ ...operation, amount: 2500, transactionId: 'T1' });
  expect(tranche.published).toEqual([
    expect.objectContaining({ id: 'p1', rail: 'card', correlationId: 'basket', data: pay }),
  ]);
});

it('answers with several events, and republishes the last one for a duplicate command', async () => {
  const tranche = new InMemoryTranche();
  const types: string[] = [];
  await tranche.subscribe({
    group: 'shop',
    on: {
      'payment.pay.pending': ({ type }) => void types.push(type),
      'payment.pay.succeeded': ({ type }) => void types.push(type),
    },
  });
  let asked = 0;
  tranche.on('payment.pay', () => (asked++, [{ type: 'payment.pay.pending' }, { type: 'payment.pay.succeeded' }]));
  await tranche.publisher.pay(pay, { id: 'p1' });
  await tranche.settled();
  const again = await tranche.publisher.payAndWait(pay, { id: 'p1' });
  await tranche.settled();
  expect([again.type, asked, types]).toEqual([
    'payment.pay.succeeded',
    1,
    ['payment.pay.pending', 'payment.pay.succeeded'],
  ]);
});

it('handlers of every type of event get what the gateway publishes', async () => {
  const tranche = new InMemoryTranche();
  const types: string[] = [];
  const take = ({ type }: { type: string }) => void types.push(type);
  await tranche.subscribe({ group: 'shop', on: Object.fromEntries(EVENT_TYPES.map((type) => [type, take])) });
  for (const type of EVENT_TYPES) tranche.emit({ type, data: EVENT_EXAMPLES[type] as unknown as PaymentEvent });
  await tranche.settled();
  expect(types.sort()).toEqual([...EVENT_TYPES].sort());
});

it('a card payment that nobody finishes expires', async () => {
  const tranche = new InMemoryTranche();
  const unpaid: string[] = [];
  await tranche.subscribe({
    group: 'shop',
    on: { 'payment.pay.expired': ({ data }) => void unpaid.push(`${data.orderId} ${data.attempt}`) },
  });
  const redirected = { type: 'payment.pay.redirect_required', data: { redirectHtmlDropped: true } } as const;
  tranche.on('payment.pay', () => [redirected, { type: 'payment.pay.expired', data: { origin: 'timer' } }]);
  await tranche.publisher.pay(pay, { id: 'p1' });
  await tranche.settled();
  expect(unpaid).toEqual(['order-1 1']);
});

it('executes a command once that is published twice at the same time', async () => {
  const tranche = new InMemoryTranche();
  let asked = 0;
  const ids = new Set<string>();
  await tranche.subscribe({ group: 'shop', on: { 'payment.pay.succeeded': ({ id }) => void ids.add(id) } });
  tranche.on('payment.pay', async () => {
    asked++;
    await new Promise((resolve) => setImmediate(resolve));
    return { type: 'payment.pay.succeeded' };
  });
  const results = await Promise.all([
    tranche.publisher.payAndWait(pay, { id: 'p1' }),
    tranche.publisher.payAndWait(pay, { id: 'p1' }),
  ]);
  await tranche.settled();
  expect([asked, new Set(results.map(({ id }) => id)).size, ids.size]).toEqual([1, 1, 1]);
});

it('takes a corrected command under its id when nothing of the first had been written', async () => {
  const tranche = new InMemoryTranche();
  tranche.failPublishing = 'not_written';
  await expect(tranche.publisher.pay(pay, { id: 'p1' })).rejects.toBeInstanceOf(PublishError);
  tranche.failPublishing = 'maybe_written';
  await expect(tranche.publisher.pay({ ...pay, amount: 2 }, { id: 'p1' })).rejects.toBeInstanceOf(PublishError);
  tranche.failPublishing = undefined;
  await expect(tranche.publisher.pay({ ...pay, amount: 3 }, { id: 'p1' })).rejects.toThrow('id_reused');
  await tranche.publisher.pay({ ...pay, amount: 2 }, { id: 'p1' });
  expect(tranche.published.map(({ data }) => (data as typeof pay).amount)).toEqual([2]);
});

it('emits only what the gateway could say', () => {
  const tranche = new InMemoryTranche();
  const emit = (data: object) => () => tranche.emit({ type: 'payment.pay.succeeded', data: data as never });
  expect(emit({ merchant: 'shop-fr', orderId: 'order-1' })).toThrow(InvalidEventError);
  expect(emit({ merchant: 'shop-fr', orderId: 'order-1' })).toThrow(/commandId .*; operation .*; attempt .*; origin/);
  expect(emit({ merchant: 'shop-fr', orderId: 'order-1', amount: '5' })).toThrow(/amount/);
  const whole = { merchant: 'shop-fr', orderId: 'order-1', commandId: 'p1', operation: 'pay', attempt: 1 };
  expect(emit({ ...whole, origin: 'guess' })).toThrow(/origin must be one of/);
  expect(() => tranche.emit('payment.conflict.detected', conflict, { id: '' })).toThrow(InvalidEventError);
  expect(() => tranche.emit('payment.paid' as never, {} as never)).toThrow(/not an event type/);
});

it('numbers events and keeps the attributes that it is given', () => {
  const tranche = new InMemoryTranche({ now: () => new Date('2028-01-31T10:00:00Z') });
  const emit = (id?: string) => tranche.emit('payment.conflict.detected', conflict, id ? { id } : {});
  const [first, second] = [emit('e1'), emit()];
  expect(first).toMatchObject({
    id: 'e1',
    subject: 'shop-fr/o',
    time: '2028-01-31T10:00:00.000Z',
    sequence: '0000000000000000000',
  });
  expect(second.sequence! > first.sequence!).toBe(true);
});

it('says that a script failed instead of letting a wait run out', async () => {
  const tranche = new InMemoryTranche({ log: silentLog });
  tranche.on('payment.pay', () => ({ type: 'payment.pay.doubt_resolved' }));
  await expect(tranche.publisher.payAndWait(pay, { id: 'p1' })).rejects.toThrow(InvalidEventError);
  await expect(tranche.settled()).rejects.toThrow(/outcome/);
  await expect(tranche.settled()).resolves.toBeUndefined();
});

it.each([
  ['not_written', false],
  ['maybe_written', true],
] as const)('fails to publish as if Kafka were away: %s', async (failure, mayBeWritten) => {
  const tranche = new InMemoryTranche();
  tranche.failPublishing = failure;
  const error: unknown = await tranche.publisher
    .authorize(aPartnerAAuthorization(), { id: 'a1' })
    .catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(PublishError);
  expect(error).toMatchObject({ mayBeWritten });
  expect(tranche.published).toEqual([]);
});

it('is settled when everything was handled, held ones too', async () => {
  const tranche = new InMemoryTranche({ log: silentLog });
  const attempts: number[] = [];
  await tranche.subscribe({
    group: 'shop',
    on: {
      'payment.conflict.detected': (_event, { attempt }) => {
        attempts.push(attempt);
        if (attempt < 3) throw new Error('not yet');
      },
    },
  });
  tranche.emit('payment.conflict.detected', conflict);
  await tranche.settled();
  expect(attempts).toEqual([1, 2, 3]);
});

it('warns where EXTRADATA of a capture leaves no room for the tag, in each result and once in the log', async () => {
  const warned: object[] = [];
  const tranche = new InMemoryTranche({ log: { ...silentLog, warn: (fields) => void warned.push(fields) } });
  const { publisher } = tranche;
  const rail = 'partner-a';
  const warningsOf = async (length: number, id: string) =>
    (await publisher.capture(aCapture({ extraData: 'é'.repeat(length) }), { id, rail })).warnings;
  expect(await warningsOf(231, 'c1')).toBeUndefined();
  expect(await warningsOf(232, 'c2')).toEqual(['extra_data_leaves_no_room']);
  const refund = await publisher.refund(aRefund({ extraData: 'x'.repeat(255) }), { id: 'r1', rail });
  expect(refund.warnings).toEqual(['extra_data_leaves_no_room']);
  expect(warned).toEqual([{ commandId: 'c2', type: 'payment.capture', code: 'extra_data_leaves_no_room' }]);
  const authorization = aPartnerAAuthorization({ extraData: 'x'.repeat(255) });
  expect((await publisher.authorize(authorization, { id: 'a1' })).warnings).toBeUndefined();
});

it('refuses what the gateway would refuse by the merchant’s entry, as the client does', async () => {
  const merchants = [
    { merchant: 'shop-fr', currencies: ['EUR'] },
    { merchant: 'shop-ch', currency: 'CHF' },
  ];
  const tranche = new InMemoryTranche({ merchants });
  const low = aPartnerBAuthorization({ amount: 14_999 });
  await expect(tranche.publisher.authorize(low, { id: 'low' })).rejects.toMatchObject({
    faults: [{ path: 'amount', code: 'amount_out_of_range' }],
  });
  await tranche.publisher.authorize({ ...low, merchant: 'shop-ch' }, { id: 'franc' });
  await new InMemoryTranche().publisher.authorize(low, { id: 'low' });
  expect(tranche.published.map(({ id }) => id)).toEqual(['franc']);
  expect(() => new InMemoryTranche({ merchants: [{}] })).toThrow('merchants: [0].merchant is required');
});

it('lists a missing rail with the other faults, and refuses a script and a wait that would never end', async () => {
  const tranche = new InMemoryTranche();
  const { publisher } = tranche;
  const refused = await publisher
    .capture({ ...aCapture(), amount: 0 }, undefined as never)
    .catch((error: unknown) => error);
  expect(refused).toMatchObject({ faults: [{ path: 'rail' }, { path: 'id' }, { path: 'amount' }] });
  expect(() => tranche.on('payment.captured' as never, () => undefined)).toThrow('no type of a command');
  const waiting = publisher.captureAndWait(aCapture(), { id: 'c1', rail: 'card', timeoutMs: '5 s' as never });
  await expect(waiting).rejects.toThrow('timeoutMs must be a number of milliseconds');
  expect(tranche.published).toEqual([]);
});
