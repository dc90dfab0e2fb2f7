import { aCapture, aPartnerAAuthorization, aPartnerBAuthorization, waitFor } from '@tranche/testing';
import type { EventOf, EventType } from '../src/index.js';
import { startGateway } from './gateway.js';
import { kafkaWorld } from './worlds.js';

let world: Awaited<ReturnType<typeof kafkaWorld>>;
let gateway: Awaited<ReturnType<typeof startGateway>>;
beforeAll(async () => {
  world = await kafkaWorld();
  gateway = await startGateway(world);
});
afterAll(() => world.close());

it('gets the result of an authorization, and the same one when the command is published again', async () => {
  const { publisher } = await world.client();
  const command = aPartnerAAuthorization({ orderId: 'asked-twice' });
  const first = await publisher.authorizeAndWait(command, { id: 'asked-twice-1', correlationId: 'basket-1' });
  expect(first).toMatchObject({ type: 'payment.authorize.redirect_required', correlationid: 'basket-1' });
  // Another process, after a crash of this one.
  const later = await (await world.client()).publisher.authorizeAndWait(command, { id: 'asked-twice-1' });
  expect(later.id).toBe(first.id);
  expect(later.data).toEqual(first.data);
  expect(await gateway.executed('asked-twice')).toBe(1);
});

it('takes no result of a command whose id another process has used, and says what became of that one', async () => {
  const command = aPartnerBAuthorization({ orderId: 'reused' });
  await (await world.client()).publisher.authorizeAndWait(command, { id: 'reused-1' });
  const other = await world.client();
  // It listens from its first wait on, which may take a while.
  await other.publisher.authorizeAndWait(aPartnerBAuthorization({ orderId: 'listening' }), { id: 'listening-1' });
  const waiting = other.publisher.authorizeAndWait(
    { ...command, amount: 30001 },
    { id: 'reused-1', timeoutMs: 30_000 },
  );
  await expect(waiting).rejects.toMatchObject({
    name: 'ResultTimeoutError',
    knownState: 'redirect',
    message: expect.stringContaining('id_reused') as string,
  });
});

it('hears what the gateway refuses by its rules', async () => {
  const { publisher } = await world.client();
  const result = await publisher.captureAndWait(aCapture({ merchant: 'no-shop', orderId: 'x' }), {
    id: 'no-shop-1',
    rail: 'partner-a',
  });
  expect(result.data.faults).toEqual([expect.objectContaining({ code: 'unknown_merchant' })]);
});

it('gives the events of a command to a subscription once, though it is published again', async () => {
  const client = await world.client();
  const came: EventOf<EventType>[] = [];
  const on = {
    'payment.authorize.redirect_required': (event: EventOf<'payment.authorize.redirect_required'>) =>
      void came.push(event),
  };
  await client.subscribe({ group: 'shop', on });
  const command = aPartnerAAuthorization({ orderId: 'once' });
  await client.publisher.authorizeAndWait(command, { id: 'once-1' });
  await client.publisher.authorizeAndWait(command, { id: 'once-1' });
  await client.publisher.authorizeAndWait(aPartnerAAuthorization({ orderId: 'behind' }), { id: 'behind-1' });
  await waitFor(() => came.some(({ data }) => data.orderId === 'behind'), { what: 'the last event' });
  expect(came.filter(({ data }) => data.orderId === 'once')).toHaveLength(1);
});
