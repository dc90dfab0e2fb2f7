import { randomUUID } from 'node:crypto';
import type { EventType } from '@tranche/contracts';
import { waitFor } from '@tranche/testing';
import { ClientClosedError } from '../src/index.js';
import type { EventHandlers, SubscribeOptions, Subscription, TrancheClient, Unreadable } from '../src/index.js';
import { succeeded, type World } from './worlds.js';

const CAPTURED = 'payment.capture.succeeded';

/** The promises of subscribing, for any world behind the client. */
export function subscribingKeepsItsPromises(start: () => Promise<World>): void {
  let world: World;
  let client: TrancheClient;
  let subscriptions: Subscription[] = [];
  beforeAll(async () => {
    world = await start();
    client = await world.client();
  });
  afterEach(async () => {
    await Promise.all(subscriptions.map((subscription) => subscription.close()));
    subscriptions = [];
  });
  afterAll(() => world.close());

  async function subscribe(
    on: EventHandlers,
    options: Partial<SubscribeOptions> = {},
    of = client,
  ): Promise<Subscription> {
    const subscription = await of.subscribe({
      group: `group-${randomUUID()}`,
      from: 'latest',
      retryDelayMs: 5,
      maxRetryDelayMs: 20,
      on,
      ...options,
    });
    subscriptions.push(subscription);
    return subscription;
  }
  /** Collects the records of a group as `orderId commandId`. */
  async function collected(
    options: Partial<SubscribeOptions> = {},
  ): Promise<{ came: string[]; subscription: Subscription }> {
    const came: string[] = [];
    const note = ({ data }: { data: { orderId: string; commandId: string } }) =>
      void came.push(`${data.orderId} ${data.commandId}`);
    return { came, subscription: await subscribe({ [CAPTURED]: note }, options) };
  }
  const capture = (orderId: string, commandId: string, attributes = {}) =>
    world.emit(CAPTURED, succeeded(orderId, commandId), attributes);

  it('calls the handler of the type with the event and its place, and skips a type whose handler is undefined', async () => {
    const calls: unknown[] = [];
    const note: EventHandlers[typeof CAPTURED] = (event, context) => calls.push([event, context]);
    await subscribe({ [CAPTURED]: note, 'payment.refund.succeeded': undefined }, { group: 'typed' });
    const emitted = await world.emit(CAPTURED, succeeded('typed', 'c1', { amount: 500 }), {
      correlationid: 'basket-7',
    });
    await world.emit('payment.refund.succeeded', succeeded('typed', 'c2', { operation: 'refund' }));
    await waitFor(() => calls.length > 0, { what: 'the event' });
    const { id, sequence } = emitted;
    expect(calls).toEqual([
      [
        expect.objectContaining({
          id,
          sequence,
          type: CAPTURED,
          correlationid: 'basket-7',
          data: expect.objectContaining({ amount: 500 }),
        }),
        expect.objectContaining({ group: 'typed', attempt: 1, key: 'shop-fr/typed' }),
      ],
    ]);
  });

  it('keeps the order of an order and lets other orders pass', async () => {
    const came: string[] = [];
    let release: () => void = () => undefined;
    const slow = new Promise<void>((resolve) => (release = resolve));
    await subscribe({
      [CAPTURED]: async ({ data }) => {
        if (data.commandId === 'slow') await slow;
        came.push(data.commandId);
      },
    });
    for (const commandId of ['slow', 'then', 'last']) await capture('ordered', commandId);
    await capture('passes', 'passing');
    await waitFor(() => came.includes('passing'), { what: 'the other order' });
    expect(came).toEqual(['passing']);
    release();
    await waitFor(() => came.length === 4, { what: 'the rest' });
    expect(came).toEqual(['passing', 'slow', 'then', 'last']);
  });

  it('leaves out an event that it has handled before', async () => {
    const { came } = await collected();
    await capture('twice', 'first', { id: 'event-1' });
    await capture('twice', 'first', { id: 'event-1' });
    await capture('twice', 'second');
    await waitFor(() => came.includes('twice second'), { what: 'the event behind' });
    expect(came).toEqual(['twice first', 'twice second']);
  });

  it('brings an event again until its handler does not throw, and holds only its order', async () => {
    const attempts: number[] = [];
    const came: string[] = [];
    await subscribe({
      [CAPTURED]: ({ data }, { attempt }) => {
        if (data.commandId !== 'fails') return void came.push(data.commandId);
        attempts.push(attempt);
        if (attempts.length < 4 || !came.includes('other')) throw new Error('the warehouse is away');
      },
    });
    await capture('held', 'fails');
    await capture('held', 'behind');
    await capture('free', 'other');
    await waitFor(() => came.length === 2, { what: 'both' });
    expect(came).toEqual(['other', 'behind']);
    expect(attempts.slice(0, 4)).toEqual([1, 2, 3, 4]);
  });

  it('gives an event up only to the hook, which is called until it takes it', async () => {
    const handled: number[] = [];
    const given: unknown[] = [];
    const { came } = await collected();
    await subscribe(
      {
        [CAPTURED]: (_event, { attempt }) => {
          handled.push(attempt);
          throw new Error('never');
        },
      },
      {
        giveUp: {
          afterAttempts: 2,
          onGivenUp: ({ data }, error, { attempt }) => {
            given.push([(data as { commandId?: string }).commandId, String(error), attempt]);
            if (given.length < 2) throw new Error('the shelf is away');
          },
        },
      },
    );
    await capture('given-up', 'g1');
    await waitFor(() => given.length === 2, { what: 'both calls of the hook' });
    await waitFor(() => came.length === 1, { what: 'it in the other group' });
    expect(handled).toEqual([1, 2]);
    expect(given).toEqual([
      ['g1', 'Error: never', 2],
      ['g1', 'Error: never', 3],
    ]);
    expect(came).toEqual(['given-up g1']);
  });

  it('passes over types and fields that it does not know', async () => {
    const { came } = await collected();
    await world.emitRecord('shop-fr/new', record('payment.capture.invented', { merchant: 'shop-fr', orderId: 'new' }));
    await world.emitRecord(
      'shop-fr/new',
      record(CAPTURED, { ...succeeded('new', 'more-fields'), inventedField: { any: 1 } }),
    );
    await waitFor(() => came.length === 1, { what: 'the event with a new field' });
    expect(came).toEqual(['new more-fields']);
  });

  it('gives what it can not read to the hook until that takes it, and goes on', async () => {
    const unreadable: Unreadable[] = [];
    const { came } = await collected({
      onUnreadable: (found) => {
        unreadable.push(found);
        if (unreadable.length === 1) throw new Error('the shelf is away');
      },
    });
    const { came: withoutHook } = await collected();
    await world.emitRecord('shop-fr/bad', { headers: {}, value: Buffer.from('not an event') });
    await world.emitRecord('shop-fr/bad', record(CAPTURED, { merchant: 'shop-fr', orderId: 'bad' }));
    await capture('bad', 'good');
    await waitFor(() => came.length === 1 && withoutHook.length === 1, { what: 'the good event' });
    expect(unreadable).toHaveLength(3);
    expect(unreadable[0]!.record.value?.toString()).toBe('not an event');
    expect(unreadable[2]!.faults.map(({ path }) => path)).toEqual(['commandId', 'operation', 'attempt', 'origin']);
  });

  it('shares events within a group and gives each group all', async () => {
    const group = `group-${randomUUID()}`;
    const other = await world.client();
    const [one, two, alone]: [string[], string[], string[]] = [[], [], []];
    const noting = (into: string[]): EventHandlers => ({ [CAPTURED]: ({ data }) => void into.push(data.orderId) });
    await subscribe(noting(one), { group });
    await subscribe(noting(two), { group }, other);
    await subscribe(noting(alone));
    const orders = Array.from({ length: 40 }, (_, n) => `shared-${n}`);
    for (const order of orders) await capture(order, 'c');
    await waitFor(() => one.length + two.length >= 40 && alone.length === 40, {
      timeoutMs: 20_000,
      what: 'all events',
    });
    expect([...one, ...two].sort()).toEqual([...orders].sort());
    expect(Math.min(one.length, two.length)).toBeGreaterThan(0);
  });

  it('goes on where its group left off, and lets a handler end first', async () => {
    const group = `group-${randomUUID()}`;
    const came: string[] = [];
    let release: () => void = () => undefined;
    const slow = new Promise<void>((resolve) => (release = resolve));
    const on: EventHandlers = {
      [CAPTURED]: async ({ data }) => {
        if (data.commandId === 'slow') await slow;
        came.push(data.commandId);
      },
    };
    const first = await subscribe(on, { group });
    await capture('left', 'before');
    await waitFor(() => came.length === 1, { what: 'the first event' });
    await capture('left', 'slow');
    await capture('left', 'behind');
    const closing = first.close();
    release();
    await closing;
    await capture('left', 'meanwhile');
    const ended = [...came];
    await subscribe(on, { group });
    await waitFor(() => came.includes('meanwhile'), { what: 'what came meanwhile' });
    expect(ended.filter((id) => id === 'slow').length).toBeLessThanOrEqual(1);
    expect(came).toEqual(['before', 'slow', 'behind', 'meanwhile']);
  });

  it('begins where it is told to, and loses nothing where a member ended before its first event', async () => {
    const group = `group-${randomUUID()}`;
    await capture('begins', 'early');
    const { subscription } = await collected({ group });
    await subscription.close();
    await capture('begins', 'meanwhile');
    const { came: latest } = await collected({ group });
    const { came: earliest } = await collected({ from: 'earliest' });
    await capture('begins', 'late');
    await waitFor(() => latest.includes('begins late') && earliest.includes('begins late'), { what: 'the late event' });
    expect(latest).toEqual(['begins meanwhile', 'begins late']);
    expect(earliest.filter((text) => text.startsWith('begins'))).toEqual([
      'begins early',
      'begins meanwhile',
      'begins late',
    ]);
  });

  it('refuses a subscription that could never do what it says', async () => {
    const on: EventHandlers = { [CAPTURED]: () => undefined };
    await expect(client.subscribe({ group: '', on })).rejects.toThrow('group must be a text');
    await expect(client.subscribe({ group: 'g', on: {} })).rejects.toThrow('handles no event');
    await expect(client.subscribe({ group: 'g', on: { [CAPTURED]: undefined } })).rejects.toThrow('handles no event');
    await expect(
      client.subscribe({ group: 'g', on: { 'payment.captured': () => 1 } as EventHandlers }),
    ).rejects.toThrow('no event type');
    const wrong = { [CAPTURED]: 5 } as unknown as EventHandlers;
    await expect(client.subscribe({ group: 'g', on: wrong, inFlight: 0 })).rejects.toThrow(
      "on['payment.capture.succeeded'] must be a function; inFlight must be an integer",
    );
  });

  it('says that it is well', () => expect(client.health()).toEqual({ isLive: true, isReady: true, reasons: [] }));

  it('brings an event whose method, operation, outcome or origin is one that was added later', async () => {
    const came: object[] = [];
    await subscribe({ 'payment.pay.doubt_resolved': ({ data }) => void came.push(data) });
    const later = { operation: 'split', method: 'Z9', outcome: 'parked', origin: 'oracle' };
    const data = { merchant: 'shop-fr', orderId: 'later', commandId: 'c1', attempt: 1, ...later };
    await world.emitRecord('shop-fr/later', record('payment.pay.doubt_resolved', data));
    await waitFor(() => came.length > 0, { what: 'the event' });
    expect(came).toEqual([data]);
  });

  it('subscribes nobody when it is closed meanwhile', async () => {
    const came: string[] = [];
    const on: EventHandlers = { [CAPTURED]: ({ data }) => void came.push(data.commandId) };
    const subscribing = client
      .subscribe({ group: `group-${randomUUID()}`, from: 'latest', on })
      .catch((error: unknown) => error);
    await client.close();
    expect(await subscribing).toBeInstanceOf(ClientClosedError);
    await capture('closed', 'late');
    expect(came).toEqual([]);
  });
}

function record(type: EventType | 'payment.capture.invented', data: object) {
  const headers = {
    ce_specversion: '1.0',
    ce_id: randomUUID(),
    ce_source: '/spec',
    ce_type: type,
    ce_time: new Date().toISOString(),
  };
  return { headers: { ...headers, 'content-type': 'application/json' }, value: Buffer.from(JSON.stringify(data)) };
}
