import { aCapture, aPartnerAAuthorization, aPartnerBAuthorization, waitFor } from '@tranche/testing';
import type { EventOf, EventType } from '../src/index.js';
import { gatewayWorld, type GatewayWorld } from './gateway.js';

let world: GatewayWorld;
beforeAll(async () => (world = await gatewayWorld()));
afterAll(() => world.close());

it('gets the result of an authorization, and the same one when the command is published again [Ours.client]', async () => {
  const { publisher } = await world.client();
  const command = aPartnerAAuthorization({ orderId: 'waits-asked-twice' });
  const first = await publisher.authorizeAndWait(command, { id: 'waits-asked-twice-1', correlationId: 'basket-1' });
  expect(first).toMatchObject({ type: 'payment.authorize.redirect_required', correlationid: 'basket-1' });
  // Stands for another process after a crash of this one.
  const later = await (await world.client()).publisher.authorizeAndWait(command, { id: 'waits-asked-twice-1' });
  expect(later.id).toBe(first.id);
  expect(later.data).toEqual(first.data);
  expect(await world.executed('waits-asked-twice')).toBe(1);
});

it('takes no result of a command whose id another process has used, and says what became of that one', async () => {
  const command = aPartnerBAuthorization({ orderId: 'waits-reused' });
  await (await world.client()).publisher.authorizeAndWait(command, { id: 'waits-reused-1' });
  const other = await world.client();
  // The client listens from its first wait on, which may take a while.
  await other.publisher.authorizeAndWait(aPartnerBAuthorization({ orderId: 'waits-listening' }), {
    id: 'waits-listening-1',
  });
  const waiting = other.publisher.authorizeAndWait(
    { ...command, amount: 30001 },
    { id: 'waits-reused-1', timeoutMs: 10_000 },
  );
  await expect(waiting).rejects.toMatchObject({
    name: 'ResultTimeoutError',
    knownState: 'redirect_required',
    message: expect.stringContaining('id_reused') as string,
  });
});

it('hears what the gateway refuses by its rules', async () => {
  const { publisher } = await world.client();
  const result = await publisher.captureAndWait(aCapture({ merchant: 'waits-no-shop', orderId: 'waits-no-shop' }), {
    id: 'waits-no-shop-1',
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
  const command = aPartnerAAuthorization({ orderId: 'waits-once' });
  await client.publisher.authorizeAndWait(command, { id: 'waits-once-1' });
  await client.publisher.authorizeAndWait(command, { id: 'waits-once-1' });
  await client.publisher.authorizeAndWait(aPartnerAAuthorization({ orderId: 'waits-behind' }), {
    id: 'waits-behind-1',
  });
  await waitFor(() => came.some(({ data }) => data.orderId === 'waits-behind'), { what: 'the last event' });
  expect(came.filter(({ data }) => data.orderId === 'waits-once')).toHaveLength(1);
});
