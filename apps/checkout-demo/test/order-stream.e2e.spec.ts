import { follow } from './follow.js';
import { anOrder, decide, joinShopStage, placed, untilStatus, type Shop, type ShopStack } from './shop-stack.js';

describe('a page follows its order', () => {
  let stack: ShopStack;
  let replica: Shop;
  beforeAll(async () => {
    stack = await joinShopStage();
    replica = await stack.startShop();
  }, 200_000);
  afterAll(() => replica?.stop());

  it('from what is true now to what becomes true, at any replica, and after a break from what is true then', async () => {
    const { pageId } = await placed(stack.shop, anOrder());
    await untilStatus(stack.shop, pageId, 'redirect');
    const [here, there] = await Promise.all([follow(stack.shop, pageId), follow(replica, pageId)]);
    for (const stream of [here, there]) expect((await stream.next(() => true)).view.status).toBe('redirect');
    here.close();
    await decide(stack.shop, { pageId }, 'validate');
    const { id } = await there.next(({ view }) => view.status === 'succeeded');
    const back = await follow(stack.shop, pageId, here.messages.at(-1)?.id);
    expect(await back.next(() => true)).toMatchObject({ id, view: { status: 'succeeded' } });
    back.close();
    there.close();
  });

  it('is told nothing of the person', async () => {
    const { pageId } = await placed(stack.shop, anOrder());
    const stream = await follow(stack.shop, pageId);
    await stream.next(({ view }) => view.status === 'redirect');
    expect(stream.text()).not.toMatch(/Jeanne|Martin|jeanne@|Lilas|612345678/);
    stream.close();
  });

  it('not at all where there is no such order', async () => {
    expect((await follow(stack.shop, '0'.repeat(32))).status).toBe(404);
  });

  it('until the shop stops, which no open stream holds up', async () => {
    const { pageId } = await placed(stack.shop, anOrder());
    const stream = await follow(replica, pageId);
    await stream.next(() => true);
    const stopping = replica.stop();
    // The stream ends like a finished response. If it held up the stop, the shop would reset the connection.
    expect(await stream.ended).toBe('ended');
    expect(await stopping).toBe(0);
  });
});
