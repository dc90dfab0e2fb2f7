import { freePorts, waitFor, type RunningApp } from '@tranche/testing';
import type { OrderView } from '../src/order/order-view.js';
import { anOrder, decide, placed, startShopStack, untilStatus, type ShopStack } from './shop-stack.js';

describe('a page follows its order', () => {
  let stack: ShopStack;
  beforeAll(async () => (stack = await startShopStack({ MAX_STREAMS: '12' })), 200_000);
  afterAll(() => stack.stop(), 60_000);

  const anotherShop = async () => {
    const [port, managementPort] = await freePorts();
    return stack.startShop({ PORT: String(port), MANAGEMENT_PORT: String(managementPort) });
  };

  it('from what is true now to what becomes true, at any replica, and after a break from what is true then', async () => {
    const { orderId } = await placed(stack.shop, anOrder());
    await untilStatus(stack.shop, orderId, 'redirect');
    const replica = await anotherShop();
    const [here, there] = await Promise.all([follow(stack.shop, orderId), follow(replica, orderId)]);
    for (const stream of [here, there]) expect((await stream.next(() => true)).view.status).toBe('redirect');
    here.close();
    await decide(stack.shop, orderId, 'validate');
    const { id } = await there.next(({ view }) => view.status === 'succeeded');
    const back = await follow(stack.shop, orderId, here.messages.at(-1)?.id);
    expect(await back.next(() => true)).toMatchObject({ id, view: { status: 'succeeded' } });
    back.close();
    there.close();
    await replica.stop();
  }, 60_000);

  it('is told nothing of the person', async () => {
    const { orderId } = await placed(stack.shop, anOrder());
    const stream = await follow(stack.shop, orderId);
    await stream.next(({ view }) => view.status === 'redirect');
    expect(stream.text()).not.toMatch(/Jeanne|Martin|jeanne@|Lilas|612345678/);
    stream.close();
  });

  it('in bounds: ten of an order, twelve in all, and places come free', async () => {
    const [one, other] = await Promise.all([placed(stack.shop, anOrder()), placed(stack.shop, anOrder())]);
    const streams = await Promise.all(Array.from({ length: 10 }, () => follow(stack.shop, one.orderId)));
    const statusOf = async (orderId: string) => (await follow(stack.shop, orderId)).status;
    expect(await statusOf(one.orderId)).toBe(503);
    streams.push(await follow(stack.shop, other.orderId), await follow(stack.shop, other.orderId));
    expect(streams.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 200));
    expect(await statusOf(other.orderId)).toBe(503);
    for (const stream of streams) stream.close();
    await waitFor(async () => (await statusOf(other.orderId)) === 200, { what: 'a free place' });
  });

  it('not at all where there is no such order', async () => {
    expect((await follow(stack.shop, '0'.repeat(32))).status).toBe(404);
  });

  it('until the shop stops, which no open stream holds up', async () => {
    const shop = await anotherShop();
    const { orderId } = await placed(stack.shop, anOrder());
    const stream = await follow(shop, orderId);
    await stream.next(() => true);
    const stoppedAtMs = performance.now();
    expect(await shop.stop()).toBe(0);
    await stream.ended;
    expect(performance.now() - stoppedAtMs).toBeLessThan(9_000);
  }, 60_000);
});

interface Message {
  id: string;
  view: OrderView;
}

async function follow(shop: RunningApp, orderId: string, lastEventId?: string) {
  const abort = new AbortController();
  const headers: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
  const answer = await fetch(`${shop.url}/orders/${orderId}/events`, { headers, signal: abort.signal });
  const messages: Message[] = [];
  let text = '';
  const read = async () => {
    for await (const part of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += part;
      const told = [...text.matchAll(/id: (\d+)\nevent: order\ndata: (.*)\n\n/g)];
      messages.splice(0, messages.length, ...told.map(([, id = '', data = '']) => ({ id, view: JSON.parse(data) as OrderView })));
    }
  };
  const ended = answer.ok ? read().catch(() => undefined) : answer.body?.cancel();
  return {
    status: answer.status,
    messages,
    ended,
    text: () => text,
    next: (condition: (message: Message) => boolean) => waitFor(() => messages.find(condition), { what: `a message about ${orderId}` }),
    close: () => abort.abort(),
  };
}
