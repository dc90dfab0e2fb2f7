import { connect } from 'node:net';
import { freePorts, waitFor, type RunningApp } from '@tranche/testing';
import type { OrderView } from '../src/order/order-view.js';
import { anOrder, decide, placed, startShopStack, untilStatus, type ShopStack } from './shop-stack.js';

describe('a page follows its order', () => {
  let stack: ShopStack;
  beforeAll(async () => (stack = await startShopStack({ MAX_STREAMS: '12' })), 200_000);
  afterAll(() => stack.stop());

  const anotherShop = async (settings: Record<string, string> = {}) => {
    const [port, managementPort] = await freePorts();
    return stack.startShop({ PORT: String(port), MANAGEMENT_PORT: String(managementPort), ...settings });
  };

  it('from what is true now to what becomes true, at any replica, and after a break from what is true then', async () => {
    const { pageId } = await placed(stack.shop, anOrder());
    await untilStatus(stack.shop, pageId, 'redirect');
    const replica = await anotherShop();
    const [here, there] = await Promise.all([follow(stack.shop, pageId), follow(replica, pageId)]);
    for (const stream of [here, there]) expect((await stream.next(() => true)).view.status).toBe('redirect');
    here.close();
    await decide(stack.shop, { pageId }, 'validate');
    const { id } = await there.next(({ view }) => view.status === 'succeeded');
    const back = await follow(stack.shop, pageId, here.messages.at(-1)?.id);
    expect(await back.next(() => true)).toMatchObject({ id, view: { status: 'succeeded' } });
    back.close();
    there.close();
    await replica.stop();
  });

  it('is told nothing of the person', async () => {
    const { pageId } = await placed(stack.shop, anOrder());
    const stream = await follow(stack.shop, pageId);
    await stream.next(({ view }) => view.status === 'redirect');
    expect(stream.text()).not.toMatch(/Jeanne|Martin|jeanne@|Lilas|612345678/);
    stream.close();
  });

  it('in bounds: ten of an order, twelve in all, and places come free', async () => {
    const [one, other] = await Promise.all([placed(stack.shop, anOrder()), placed(stack.shop, anOrder())]);
    const streams = await Promise.all(Array.from({ length: 10 }, () => follow(stack.shop, one.pageId)));
    const statusOf = async (pageId: string) => {
      const { status, close } = await follow(stack.shop, pageId);
      close();
      return status;
    };
    expect(await statusOf(one.pageId)).toBe(503);
    streams.push(await follow(stack.shop, other.pageId), await follow(stack.shop, other.pageId));
    expect(streams.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 200));
    expect(await statusOf(other.pageId)).toBe(503);
    for (const stream of streams) stream.close();
    await waitFor(async () => (await statusOf(other.pageId)) === 200, { what: 'a free place' });
  });

  it('leaves no place taken by those who were gone before they were answered', async () => {
    const [one, other] = await Promise.all([placed(stack.shop, anOrder()), placed(stack.shop, anOrder())]);
    const orders = [one, other];
    const { hostname, port } = new URL(stack.shop.url);
    await Promise.all(
      Array.from({ length: 30 }, (_, n) => goneAtOnce(hostname, Number(port), orders[n % 2]?.pageId ?? '')),
    );
    const streams = await waitFor(
      async () => {
        const all = await Promise.all(
          Array.from({ length: 12 }, (_, n) => follow(stack.shop, orders[n % 2]?.pageId ?? '')),
        );
        if (all.every(({ status }) => status === 200)) return all;
        for (const stream of all) stream.close();
        return false;
      },
      { what: 'twelve free places' },
    );
    for (const stream of streams) stream.close();
  });

  it('so many from one address', async () => {
    const shop = await anotherShop({ MAX_STREAMS_PER_ADDRESS: '2' });
    const { pageId } = await placed(stack.shop, anOrder());
    const streams = [await follow(shop, pageId), await follow(shop, pageId)];
    expect((await follow(shop, pageId)).status).toBe(503);
    for (const stream of streams) stream.close();
    await shop.stop();
  });

  it('not at all where there is no such order', async () => {
    expect((await follow(stack.shop, '0'.repeat(32))).status).toBe(404);
  });

  it('until the shop stops, which no open stream holds up', async () => {
    const shop = await anotherShop();
    const { pageId } = await placed(stack.shop, anOrder());
    const stream = await follow(shop, pageId);
    await stream.next(() => true);
    const stoppedAtMs = performance.now();
    const stopping = shop.stop();
    await stream.ended;
    expect(performance.now() - stoppedAtMs).toBeLessThan(9_000);
    expect(await stopping).toBe(0);
  });
});

/** Asks, and is gone before the shop has looked the order up. */
function goneAtOnce(host: string, port: number, pageId: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, host, () => {
      socket.end(`GET /orders/${pageId}/events HTTP/1.1\r\nhost: ${host}\r\n\r\n`, () => socket.resetAndDestroy());
    });
    socket.on('error', () => undefined).on('close', () => resolve());
  });
}

interface Message {
  id: string;
  view: OrderView;
}

async function follow(shop: RunningApp, pageId: string, lastEventId?: string) {
  const abort = new AbortController();
  const headers: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
  const answer = await fetch(`${shop.url}/orders/${pageId}/events`, { headers, signal: abort.signal });
  const messages: Message[] = [];
  let text = '';
  const read = async () => {
    for await (const part of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += part;
      const told = [...text.matchAll(/id: (\d+)\nevent: order\ndata: (.*)\n\n/g)];
      messages.splice(
        0,
        messages.length,
        ...told.map(([, id = '', data = '']) => ({ id, view: JSON.parse(data) as OrderView })),
      );
    }
  };
  const ended = answer.ok ? read().catch(() => undefined) : answer.body?.cancel();
  return {
    status: answer.status,
    messages,
    ended,
    text: () => text,
    next: (condition: (message: Message) => boolean) =>
      waitFor(() => messages.find(condition), { what: `a message about ${pageId}` }),
    close: () => abort.abort(),
  };
}
