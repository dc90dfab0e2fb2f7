import { infrastructure, ownPrefix } from '@tranche/testing';
import { authEventsOf, metricOf, Replicas } from './replicas.js';

describe("an entry that was put in another's place in Redis", () => {
  const replicas = new Replicas();

  /** The values of both accounts, exchanged as somebody with access to Redis might. */
  async function swap(): Promise<void> {
    const [one, two] = await replicas.entries('token:');
    if (one === undefined || two === undefined) throw new Error('there are no two entries');
    for (const [key, value] of [
      [one.key, two.value],
      [two.key, one.value],
    ] as const)
      // prettier-ignore
      await replicas.redis.set(key, value, { expiration: { type: 'PX', value: 60_000 } });
  }

  it('is handed out to nobody, is taken away, and raised in the log, the metrics and as an event', async () => {
    const { brokers } = infrastructure();
    const topicPrefix = ownPrefix();
    await (await replicas.start()).token('shop');
    await replicas.services[0]?.token('second');
    const service = await replicas.start({ KAFKA_BROKERS: brokers, KAFKA_TOPIC_PREFIX: topicPrefix });
    const topic = await authEventsOf(topicPrefix);
    await swap();
    const [shop, second] = [await service.token('shop'), await service.token('second')];
    expect([shop.accessToken, second.accessToken]).toEqual([replicas.api.tokens[2], replicas.api.tokens[3]]);

    const errors = service.lines.filter(({ level }) => level === 'error');
    expect(errors.map(({ account }) => account).sort()).toEqual(['second', 'shop']);
    for (const { message } of errors)
      expect(message).toMatch(/a cached entry was changed or comes from another account: it is refused/);
    expect(await metricOf(service, 'auth_cache_entries_refused_total')).toEqual([
      expect.stringMatching(/reason="tampered".* 2$/),
    ]);
    for (const account of ['shop', 'second']) {
      const { data } = await topic.next(
        (event) => event.type === 'auth.entry.tampered' && event.subject === account,
        `the event of ${account}`,
      );
      expect(data).toEqual({ account, reason: 'a cached entry was changed or comes from another account' });
    }
    await topic.stop();
  });

  it('is raised once, however many replicas and callers meet it', async () => {
    await (await replicas.start()).token('shop');
    await replicas.services[0]?.token('second');
    const two = [await replicas.start(), await replicas.start()];
    await swap();
    await Promise.all(two.flatMap((service) => Array.from({ length: 20 }, () => service.token('shop'))));
    expect(two.flatMap(({ lines }) => lines).filter(({ level }) => level === 'error')).toHaveLength(1);
    expect(replicas.api.requests).toHaveLength(3);
  });

  it('is noticed too when only a bit of it was changed', async () => {
    await (await replicas.start()).token('shop');
    const [entry] = await replicas.entries('token:');
    const value = entry?.value ?? '';
    const changed = value.slice(0, 40) + (value[40] === 'A' ? 'B' : 'A') + value.slice(41);
    await replicas.redis.set(entry?.key ?? '', changed, { expiration: { type: 'PX', value: 60_000 } });
    const service = await replicas.start();
    expect((await service.token('shop')).accessToken).toBe(replicas.api.tokens[1]);
    expect(service.lines.some(({ level }) => level === 'error')).toBe(true);
  });

  it('is noticed, taken away and replaced when it is no text at all', async () => {
    await (await replicas.start()).token('shop');
    const [entry] = await replicas.entries('token:');
    await replicas.redis.del(entry?.key ?? '');
    await replicas.redis.rPush(entry?.key ?? '', 'canary');
    const service = await replicas.start();
    expect((await service.token('shop')).accessToken).toBe(replicas.api.tokens[1]);
    expect(await replicas.redis.type(entry?.key ?? '')).toBe('string');
    expect(service.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
    expect(await metricOf(service, 'auth_cache_entries_refused_total')).toEqual([
      expect.stringMatching(/reason="tampered".* 1$/),
    ]);
  });
});
