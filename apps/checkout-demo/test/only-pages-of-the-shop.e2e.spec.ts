import { randomUUID } from 'node:crypto';
import { anOrder, comeBack, CUSTOMER, joinShopStage, placed, post, viewOfOrder, type ShopStack } from './shop-stack.js';

describe('the shop', () => {
  let stack: ShopStack;
  beforeAll(async () => (stack = await joinShopStage()), 200_000);
  afterAll(() => stack.stop());

  it.each<[string, Record<string, string>]>([
    ['another origin', { origin: 'https://evil.example' }],
    ['a sandboxed page', { origin: 'null' }],
    ['another site, as the browser says', { 'sec-fetch-site': 'cross-site' }],
    ['no page at all', { origin: '' }],
  ])('takes no order from %s, and nothing is begun', async (_who, headers) => {
    const body = anOrder();
    const answer = await post(stack.shop, '/api/orders', body, headers);
    expect([answer.status, await answer.json()]).toMatchObject([403, { code: 'origin_not_allowed' }]);
    expect((await post(stack.shop, '/api/orders', body)).status).toBe(201);
  });

  it.each<[string, unknown, number, string]>([
    ['no JSON', '{', 400, 'malformed_request'],
    ['more than 16 kB', { ...anOrder(), note: 'x'.repeat(17_000) }, 413, 'payload_too_large'],
    ['no key', { ...anOrder(), key: undefined }, 400, 'invalid_request'],
    ['a key that could be guessed', { ...anOrder(), key: '1' }, 400, 'invalid_request'],
    ['nothing', 'null', 400, 'invalid_request'],
  ])('refuses %s', async (_what, body, status, code) => {
    const answer = await post(stack.shop, '/api/orders', body);
    expect([answer.status, await answer.json()]).toMatchObject([status, { code }]);
  });

  it('names every fault at its field, and an order of its key is not begun by it', async () => {
    const key = randomUUID();
    const customer = { ...CUSTOMER, lastName: 'x'.repeat(16), email: '', country: 'France' };
    const answer = await post(stack.shop, '/api/orders', anOrder({ key, customer }));
    const { faults } = (await answer.json()) as { faults: { path: string; code: string }[] };
    expect(faults.map(({ path, code }) => `${path}: ${code}`).sort()).toEqual([
      'country: length',
      'email: required',
      'lastName: length',
    ]);
    expect((await post(stack.shop, '/api/orders', anOrder({ key }))).status).toBe(201);
  });

  it('knows no order that nobody placed', async () => {
    expect((await fetch(`${stack.shop.url}/api/orders/${'0'.repeat(32)}`)).status).toBe(404);
    expect(
      (
        await post(stack.shop, `/api/orders/${'0'.repeat(32)}/attempts`, {
          attempt: 2,
          method: 'a3',
          customer: CUSTOMER,
        })
      ).status,
    ).toBe(404);
  });

  it.each(['/', '/orders/unknown'])(
    'serves its page at %s with a strict policy, and only its own files',
    async (path) => {
      const answer = await fetch(stack.shop.url + path);
      expect(answer.headers.get('content-type')).toContain('text/html');
      const policy = answer.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain(`connect-src 'self' ${new URL(stack.keysUrl).origin} ${stack.simulator.url}`);
      expect(policy).not.toContain('unsafe');
      const html = await answer.text();
      const files = [...html.matchAll(/(?:href|src)="(\/(?:assets|page)[^"]*)"/g)].map(([, file]) => file ?? '');
      expect(files.length).toBeGreaterThan(3);
      for (const file of [...files, '/page/order-page.js', '/card-encryption/index.js', '/assets/lamp-hazel.svg'])
        expect([file, (await fetch(stack.shop.url + file)).status]).toEqual([file, 200]);
      for (const file of [
        '/assets/checkout.ts',
        '/assets/index.html',
        '/assets/desk.html',
        '/page/.tsbuildinfo',
        '/page/checkout.d.ts',
        '/assets/../package.json',
      ])
        expect([file, (await fetch(stack.shop.url + file)).status]).toEqual([file, 404]);
    },
  );

  it('sends the browser that ordered on to its order, whatever merchant is named, and no other', async () => {
    const { orderId, pageId } = await placed(stack.shop, anOrder());
    const address = `${stack.shopUrl}/shop-es/thanks?orderId=${orderId}&hint=success`;
    expect(await comeBack(address, pageId)).toBe(`/orders/${pageId}?hint=success`);
    const answer = await fetch(address, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/orders/unknown']);
    expect((await viewOfOrder(stack.shop, pageId)).status).not.toBe('succeeded');
  });

  it('shows an order to nobody who knows its number only, which is what the platform, Kafka and logs have', async () => {
    const { orderId, pageId } = await placed(stack.shop, anOrder());
    expect(orderId).not.toBe(pageId);
    for (const path of [`/api/orders/${orderId}`, `/orders/${orderId}/events`])
      expect([path, (await fetch(stack.shop.url + path)).status]).toEqual([path, 404]);
    const form = await fetch(`${stack.shop.url}/orders/${orderId}/provider`, { redirect: 'manual' });
    expect(form.status).toBe(303);
  });

  it('gives its own trace to what it answers and logs, whatever a browser names', async () => {
    const traceId = '49701012000400164970101200040016';
    const headers = { traceparent: `00-${traceId}-1234567812345678-01` };
    const [taken, refused] = [
      await post(stack.shop, '/api/orders', anOrder(), headers),
      await post(stack.shop, '/api/orders', {}, headers),
    ];
    const text = await refused.text();
    expect([taken.status, JSON.parse(text)]).toEqual([
      201,
      expect.objectContaining({ traceId: expect.stringMatching(/^[0-9a-f]{32}$/) }),
    ]);
    for (const place of [text, stack.shop.logs.join('\n')]) expect(place).not.toContain(traceId);
  });

  // 121 posts exceed the limit of 60 even if a new minute starts among them. The shop keeps orders where the others of its Kafka group keep
  // them: an instance with a place of its own would take their events and show them to nobody.
  it('begins only so much of one address in a minute', async () => {
    const shop = await stack.startShop({ ATTEMPTS_PER_MINUTE: '60' });
    try {
      const answers = await Promise.all(Array.from({ length: 121 }, () => post(shop, '/api/orders', {})));
      const limited = answers.filter(({ status }) => status === 429);
      expect(limited.length).toBeGreaterThan(0);
      expect(limited[0]?.headers.get('retry-after')).toBe('60');
    } finally {
      await shop.stop();
    }
  });
});
