import { connect } from 'node:net';
import { waitFor } from '@tranche/testing';
import { follow } from './follow.js';
import { anOrder, joinShopStage, placed, type Shop, type ShopStack } from './shop-stack.js';

describe('pages that follow their orders', () => {
  let stack: ShopStack;
  let shop: Shop;
  beforeAll(async () => {
    stack = await joinShopStage();
    shop = await stack.startShop({ MAX_STREAMS: '12' });
  }, 200_000);
  afterAll(async () => {
    await shop?.stop();
    await stack?.stop();
  });

  it('in bounds: ten of an order, twelve in all, and places come free', async () => {
    const [one, other] = await Promise.all([placed(stack.shop, anOrder()), placed(stack.shop, anOrder())]);
    const streams = await Promise.all(Array.from({ length: 10 }, () => follow(shop, one.pageId)));
    const statusOf = async (pageId: string) => {
      const { status, close } = await follow(shop, pageId);
      close();
      return status;
    };
    expect(await statusOf(one.pageId)).toBe(503);
    streams.push(await follow(shop, other.pageId), await follow(shop, other.pageId));
    expect(streams.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 200));
    expect(await statusOf(other.pageId)).toBe(503);
    for (const stream of streams) stream.close();
    await waitFor(async () => (await statusOf(other.pageId)) === 200, { what: 'a free place' });
  });

  it('leaves no place taken by those who were gone before they were answered', async () => {
    const [one, other] = await Promise.all([placed(stack.shop, anOrder()), placed(stack.shop, anOrder())]);
    const orders = [one, other];
    const { hostname, port } = new URL(shop.url);
    await Promise.all(
      Array.from({ length: 30 }, (_, n) => goneAtOnce(hostname, Number(port), orders[n % 2]?.pageId ?? '')),
    );
    const streams = await waitFor(
      async () => {
        const all = await Promise.all(Array.from({ length: 12 }, (_, n) => follow(shop, orders[n % 2]?.pageId ?? '')));
        if (all.every(({ status }) => status === 200)) return all;
        for (const stream of all) stream.close();
        return false;
      },
      { what: 'twelve free places' },
    );
    for (const stream of streams) stream.close();
  });

  it('so many from one address', async () => {
    const narrow = await stack.startShop({ MAX_STREAMS_PER_ADDRESS: '2' });
    const { pageId } = await placed(stack.shop, anOrder());
    const streams = [await follow(narrow, pageId), await follow(narrow, pageId)];
    expect((await follow(narrow, pageId)).status).toBe(503);
    for (const stream of streams) stream.close();
    await narrow.stop();
  });
});

/** Sends the request and resets the connection before the shop has read the order. */
function goneAtOnce(host: string, port: number, pageId: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, host, () => {
      socket.end(`GET /orders/${pageId}/events HTTP/1.1\r\nhost: ${host}\r\n\r\n`, () => socket.resetAndDestroy());
    });
    socket.on('error', () => undefined).on('close', () => resolve());
  });
}
