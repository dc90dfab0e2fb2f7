import { randomUUID } from 'node:crypto';
import {
  aCapture,
  aCardPayment,
  aPartnerAAuthorization,
  aPartnerBAuthorization,
  aRefund,
  aVoid,
  waitFor,
} from '@tranche/testing';
import {
  ClientClosedError,
  InvalidCommandError,
  newCommandId,
  ResultTimeoutError,
  TooManyWaitsError,
} from '../src/index.js';
import type { TrancheClient } from '../src/index.js';
import { redirect, type World } from './worlds.js';

/** The promises of publishing, for any world behind the client. */
export function publishingKeepsItsPromises(start: () => Promise<World>): void {
  let world: World;
  let client: TrancheClient;
  beforeAll(async () => {
    world = await start();
    client = await world.client();
  });
  afterAll(() => world.close());

  const seen = (id: string) => world.commands().filter((command) => command.id === id);

  it('puts each command on the topic of its rail with the key of its order', async () => {
    const { publisher } = client;
    const published = [
      await publisher.authorize(aPartnerAAuthorization({ orderId: 'rail' }), { id: 'rail-a' }),
      await publisher.authorize(aPartnerBAuthorization({ orderId: 'rail' }), { id: 'rail-b' }),
      await publisher.pay(aCardPayment({ orderId: 'rail' }), { id: 'rail-card' }),
      await publisher.capture(aCapture({ orderId: 'rail' }), { id: 'capture-b', rail: 'partner-b' }),
      await publisher.refund(aRefund({ orderId: 'rail' }), { id: 'refund-card', rail: 'card' }),
      await publisher.void(aVoid({ orderId: 'rail' }), { id: 'void-a' }),
    ];
    await waitFor(() => seen('void-a').length === 1, { what: 'the last command' });
    const rails = ['partner-a', 'partner-b', 'card', 'partner-b', 'card', 'partner-a'];
    for (const [at, { id, topic, partition, offset }] of published.entries()) {
      const [command] = await waitFor(() => seen(id).length > 0 && seen(id), { what: id });
      expect(command).toMatchObject({ key: 'shop-fr/rail', topic: `payments.commands.${rails[at]}.v1` });
      expect(topic.endsWith(command!.topic)).toBe(true);
      expect(partition).toBe(published[0]!.partition);
      expect(offset).toBe(BigInt(rails.slice(0, at).filter((rail) => rail === rails[at]).length));
    }
  });

  it('refuses a command with faults, names every one and sends nothing', async () => {
    const wrong = { ...aPartnerAAuthorization({ amount: 0 }), description: undefined, surprise: 1 } as never;
    const error = await refusalOf(
      client.publisher.authorize(wrong, { id: '', correlationId: 'x'.repeat(129), time: 'yesterday' }),
    );
    expect(error.faults.map(({ path }) => path).sort()).toEqual([
      'amount',
      'correlationId',
      'description',
      'id',
      'surprise',
      'time',
    ]);
    expect(error.message).toContain('description is required');
    const withoutId = await refusalOf(client.publisher.authorize(aPartnerAAuthorization(), {} as never));
    expect(withoutId.faults).toEqual([expect.objectContaining({ path: 'id', code: 'required' })]);
    const noRail = await refusalOf(client.publisher.capture(aCapture(), { id: newCommandId() } as never));
    expect(noRail.faults).toEqual([expect.objectContaining({ path: 'rail' })]);
    expect(
      world
        .commands()
        .filter(({ type }) => type === 'payment.authorize')
        .map(({ id }) => id),
    ).not.toContain('');
  });

  it('says what is missing where there are no options', async () => {
    const { publisher } = client;
    const none = undefined as never;
    const pathsOf = async (publishing: Promise<unknown>) =>
      (await refusalOf(publishing)).faults.map(({ path }) => path);
    expect(await pathsOf(publisher.authorize(aPartnerAAuthorization(), none))).toEqual(['id']);
    expect(await pathsOf(publisher.payAndWait(aCardPayment(), null as never))).toEqual(['id']);
    expect(await pathsOf(publisher.capture(aCapture(), none))).toEqual(['rail', 'id']);
    expect(await pathsOf(publisher.refundAndWait(aRefund(), none))).toEqual(['rail', 'id']);
  });

  it('refuses card data and keeps it out of the error', async () => {
    const number = '4970105181854329';
    const command = { ...aCardPayment({ description: `card ${number}` }), cardCode: number };
    const error = await refusalOf(client.publisher.pay(command, { id: newCommandId() }));
    expect(error.faults.map(({ code }) => code)).toContain('card_data_forbidden');
    expect(JSON.stringify([error.message, error.faults, error.stack])).not.toContain(number);
  });

  it('refuses a cart that is longer than any may be, with one fault', async () => {
    const [item] = aPartnerAAuthorization().cart;
    const cart = Array.from({ length: 20_000 }, () => item!);
    const error = await refusalOf(client.publisher.authorize(aPartnerAAuthorization({ cart }), { id: newCommandId() }));
    expect(error.faults).toEqual([expect.objectContaining({ path: 'cart', code: 'length' })]);
  });

  it('takes the same command again and refuses its id for another', async () => {
    const command = aCapture({ orderId: 'again' });
    await client.publisher.capture(command, { id: 'again-1', rail: 'partner-a' });
    await client.publisher.capture({ ...command }, { id: 'again-1', rail: 'partner-a', time: new Date(0) });
    const error = await refusalOf(
      client.publisher.capture({ ...command, amount: 5 }, { id: 'again-1', rail: 'partner-a' }),
    );
    expect(error.faults).toEqual([expect.objectContaining({ path: 'id', code: 'id_reused' })]);
    await waitFor(() => seen('again-1').length === 2, { what: 'both' });
  });

  it('takes the same id at another order: that is another operation', async () => {
    await client.publisher.capture(aCapture({ orderId: 'numbered' }), { id: '1', rail: 'partner-a' });
    await client.publisher.capture(aCapture({ orderId: 'numbered-too', amount: 5 }), { id: '1', rail: 'partner-a' });
    await waitFor(() => seen('1').length === 2, { what: 'both' });
  });

  it('resolves with the first result of the command, and again with it when the command is repeated', async () => {
    world.answer('payment.authorize', redirect);
    const command = aPartnerAAuthorization({ orderId: 'waits' });
    const result = await client.publisher.authorizeAndWait(command, { id: 'waits-1', timeoutMs: 20_000 });
    expect(result).toMatchObject({
      type: 'payment.authorize.redirect_required',
      data: { commandId: 'waits-1', orderId: 'waits' },
    });
    const again = await client.publisher.authorizeAndWait(command, { id: 'waits-1', timeoutMs: 20_000 });
    expect(again.type).toBe('payment.authorize.redirect_required');
    expect(seen('waits-1')).toHaveLength(2);
  });

  it('resolves with a rejection too, and not with an event that only names the command', async () => {
    world.answer('payment.pay', ({ id, data: { merchant, orderId } }) => [
      { type: 'payment.capture_window.closing', data: { merchant, orderId, commandId: id } },
      {
        type: 'payment.pay.rejected',
        data: { merchant, orderId: 'other', commandId: id, operation: 'pay', faults: [] },
      },
      {
        type: 'payment.command.rejected',
        data: { merchant, orderId, commandId: id, faults: [{ path: '', code: 'unknown_merchant', message: '' }] },
      },
    ]);
    const result = await client.publisher.payAndWait(aCardPayment({ orderId: 'rejected' }), {
      id: 'rejected-1',
      timeoutMs: 20_000,
    });
    expect(result.type).toBe('payment.command.rejected');
  });

  it('says after the time that the outcome is not known', async () => {
    world.answer('payment.void', () => []);
    const error = await client.publisher
      .voidAndWait(aVoid({ orderId: 'late' }), { id: 'late-1', timeoutMs: 3_000 })
      .catch((e: unknown) => e);
    expect(error).toBeInstanceOf(ResultTimeoutError);
    expect(error).toMatchObject({
      commandId: 'late-1',
      message: expect.stringMatching(/not known.*same id/s) as string,
    });
    await waitFor(() => seen('late-1').length === 1, { what: 'the command' });
  });

  it('gives a wait up by the signal, and publishes nothing where it came before', async () => {
    const giveUp = new AbortController();
    const waiting = client.publisher.voidAndWait(aVoid({ orderId: 'given-up' }), {
      id: 'given-up-1',
      signal: giveUp.signal,
    });
    await waitFor(() => seen('given-up-1').length === 1, { what: 'the command' });
    giveUp.abort(new Error('the customer left'));
    await expect(waiting).rejects.toThrow('the customer left');
    const late = client.publisher.voidAndWait(aVoid({ orderId: 'given-up' }), {
      id: 'given-up-2',
      signal: giveUp.signal,
    });
    await expect(late).rejects.toThrow('the customer left');
    expect(seen('given-up-2')).toEqual([]);
  });

  it('waits for no more results than allowed', async () => {
    const giveUp = new AbortController();
    const ids = [randomUUID(), randomUUID(), randomUUID()];
    const waits = ids.map((id) =>
      client.publisher.voidAndWait(aVoid({ orderId: 'many' }), { id, signal: giveUp.signal }),
    );
    const ended = Promise.allSettled(waits);
    await waitFor(() => ids.every((id) => seen(id).length === 1), { what: 'three commands' });
    await expect(client.publisher.voidAndWait(aVoid({ orderId: 'many' }), { id: 'one-more' })).rejects.toBeInstanceOf(
      TooManyWaitsError,
    );
    giveUp.abort();
    await ended;
    expect(seen('one-more')).toEqual([]);
    await client.publisher.void(aVoid({ orderId: 'many', description: 'Corrected: nothing of it had been sent' }), {
      id: 'one-more',
    });
  });

  it('publishes nothing when it is closed, and ends its waits', async () => {
    const waiting = client.publisher
      .voidAndWait(aVoid({ orderId: 'closed' }), { id: 'closed-1' })
      .catch((error: unknown) => error);
    await waitFor(() => seen('closed-1').length === 1, { what: 'the command' });
    await client.close();
    expect(await waiting).toBeInstanceOf(ClientClosedError);
    await expect(client.publisher.void(aVoid(), { id: 'closed-2' })).rejects.toBeInstanceOf(ClientClosedError);
    await expect(client.publisher.voidAndWait(aVoid(), { id: 'closed-3' })).rejects.toBeInstanceOf(ClientClosedError);
    await expect(
      client.subscribe({ group: 'closed', on: { 'payment.pay.succeeded': () => undefined } }),
    ).rejects.toBeInstanceOf(ClientClosedError);
    expect([...seen('closed-2'), ...seen('closed-3')]).toEqual([]);
    expect(client.health()).toEqual({ isLive: true, isReady: false, reasons: ['is closed'] });
  });
}

async function refusalOf(publishing: Promise<unknown>): Promise<InvalidCommandError> {
  const error = await publishing.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(InvalidCommandError);
  return error as InvalidCommandError;
}
