import { failOver, infrastructure, startRedisPair, waitFor } from '@tranche/testing';
import { capture, form, signed, startIngest, tooLarge, type Ingest } from './support.js';

const LIMIT = 5;

describe('an address that fails too often', () => {
  const started: Ingest[] = [];
  afterEach(async () => {
    for (const ingest of started.splice(0)) await ingest.close();
  });

  const start = async (env: Record<string, string> = {}) => {
    const ingest = await startIngest(undefined, { FAILURES_PER_MINUTE: String(LIMIT), ...env });
    started.push(ingest);
    return ingest;
  };
  const forged = (ingest: Ingest, n: number) =>
    fetch(`${ingest.webhook}?${form({ ...signed(capture({ ORDERID: `f${n}` })), AMOUNT: '1' })}`);
  const failures: ((ingest: Ingest) => Promise<Response>)[] = [
    (ingest) => forged(ingest, 0),
    (ingest) => fetch(ingest.webhook),
    (ingest) => tooLarge(ingest.webhook, 1_048_577, 'announced'),
    (ingest) => fetch(ingest.webhook, { method: 'POST', body: '<a/>', headers: { 'content-type': 'text/xml' } }),
    (ingest) => fetch(`${ingest.app.url}/elsewhere`),
  ];

  const expectLimited = async (answer: Response) => {
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    expect(await answer.json()).toMatchObject({ code: 'too_many_requests' });
  };

  it('gets 429 with Retry-After for every failure, and OK for what is signed [Ours.limits]', async () => {
    const ingest = await start();
    const statuses = await Promise.all(failures.map(async (fail) => (await fail(ingest)).status));
    expect(statuses).toEqual([403, 400, 413, 400, 404]);
    for (const fail of failures) await expectLimited(await fail(ingest));
    for (let n = 0; n < 20; n++) {
      expect(await (await fetch(`${ingest.webhook}?${form(signed(capture({ ORDERID: `good ${n}` })))}`)).text()).toBe(
        'OK',
      );
    }
    expect(await ingest.metric('ingest_limited_total')).toBe(failures.length);
  });

  it('fills no log', async () => {
    const ingest = await start();
    for (let n = 0; n < 50; n++) await forged(ingest, n);
    expect(await ingest.metric('ingest_notifications_total{result="hash_mismatch"')).toBe(50);
    await waitFor(() => ingest.app.logs.filter((line) => line.includes('was refused')).length >= LIMIT);
    expect(ingest.app.logs.filter((line) => line.includes('was refused')).length).toBeLessThanOrEqual(LIMIT + 1);
  });

  it('is limited at every instance that shares the Redis', async () => {
    const shared = { REDIS_URL: infrastructure().redisUrl, REDIS_KEY_PREFIX: `test-${process.pid}-${Date.now()}:` };
    const [one, other] = [await start(shared), await start(shared)];
    for (const ingest of [one, other]) {
      await waitFor(() => ingest.app.logs.some((line) => line.includes('connected to Redis')), {
        what: 'the connection to Redis',
      });
    }
    for (let n = 0; n < LIMIT; n++) expect((await forged(one, n)).status).toBe(403);
    await expectLimited(await forged(other, 0));
  });

  it('is counted at the new Redis after the old one, behind a name, failed over and closed no connection; the service is ready all the time', async () => {
    const pair = await startRedisPair();
    try {
      const ingest = await start({ REDIS_URL: pair.name.url });
      const isConnected = (is: 0 | 1) =>
        waitFor(async () => (await ingest.metric('tranche_redis_connected')) === is, {
          timeoutMs: 60_000,
          what: `tranche_redis_connected ${is}`,
        });
      const isReady = async () => (await fetch(`${ingest.app.managementUrl}/health/ready`)).ok;
      await isConnected(1);
      expect((await forged(ingest, 0)).status).toBe(403);
      await failOver(pair);
      await isConnected(0);
      expect((await forged(ingest, 1)).status).toBe(403);
      expect(await isReady()).toBe(true);
      pair.name.leadTo(pair.replica.url);
      await isConnected(1);
      expect((await forged(ingest, 2)).status).toBe(403);
      const [key = ''] = await pair.replica.ask<string[]>(['KEYS', '*failures:*']);
      expect(await pair.replica.ask(['GET', key])).toBe('2');
    } finally {
      await pair.stop();
    }
  });

  it('is limited while Redis is away, and the service is ready', async () => {
    const ingest = await start({ REDIS_URL: 'redis://127.0.0.1:1' });
    for (let n = 0; n < LIMIT; n++) expect((await forged(ingest, n)).status).toBe(403);
    await expectLimited(await forged(ingest, LIMIT));
    expect(await (await fetch(`${ingest.webhook}?${form(signed(capture()))}`)).text()).toBe('OK');
    expect((await fetch(`${ingest.app.managementUrl}/health/ready`)).status).toBe(200);
  });
});
