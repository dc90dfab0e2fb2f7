import { createLogger, Health, RedisClient } from '@tranche/service-kit';
import { infrastructure, TcpProxy, waitFor } from '@tranche/testing';
import { EntryStore } from '../src/cache/entries.store.js';
import type { AuthServiceUnderTest } from './auth-service.js';
import { PATIENT_MS, Replicas } from './replicas.js';

/** Makes Redis refuse writes, as a replica or a full server does. Keeps the length, so that the protocol stays valid. */
function withoutWrites(sent: Buffer): Buffer {
  const text = sent.toString('latin1');
  return Buffer.from(
    text
      .replaceAll('$3\r\nSET\r\n', '$3\r\nNO!\r\n')
      .replaceAll("call('del'", "call('no!'")
      .replaceAll("call('pexpire'", "call('no!!!!!'"),
    'latin1',
  );
}

describe('a Redis in trouble', () => {
  const replicas = new Replicas();
  const { redisUrl } = infrastructure();
  let isReadOnly: boolean;
  let way: TcpProxy;
  let service: AuthServiceUnderTest;
  beforeEach(async () => {
    isReadOnly = false;
    way = await TcpProxy.listen(() => redisUrl, {
      requests: () => (sent) => (isReadOnly ? withoutWrites(sent) : sent),
    });
    service = await replicas.start({ REDIS_URL: way.through(redisUrl) });
  });
  afterEach(() => way.close());
  const isReady = async () => (await fetch(`${service.managementUrl}/health/ready`)).ok;

  async function afterTheCopy(): Promise<void> {
    const copyIsOver = performance.now() + 1_001;
    await waitFor(() => performance.now() > copyIsOver, { what: 'the end of the copy that needs no look into Redis' });
  }

  /** Waits until the lock was extended, so that it does not expire during the test. */
  async function untilLocked(): Promise<void> {
    const isExtended = async () => {
      const [lock] = await replicas.entries('lock:');
      return lock !== undefined && (await replicas.redis.pExpire(lock.key, 60_000)) === 1;
    };
    await waitFor(isExtended, { what: 'the lock' });
  }

  async function timed<T>(work: () => Promise<T>): Promise<{ result: T; seconds: number }> {
    const begunMs = performance.now();
    const result = await work();
    return { result, seconds: (performance.now() - begunMs) / 1_000 };
  }

  it('that answers nothing holds callers up for a moment only: they get the copy, or a token of a shared call', async () => {
    const { accessToken } = await service.token('shop');
    await afterTheCopy();
    await way.set('half-open');
    const shop = await timed(() => Promise.all(Array.from({ length: 10 }, () => service.token('shop'))));
    expect(new Set(shop.result.map((token) => token.accessToken))).toEqual(new Set([accessToken]));
    // Earlier than the connection is closed, which takes twice as long.
    const away = service.lines.find(({ message }) => String(message).startsWith('Redis is away'));
    expect(away?.reason).toBe(`Redis gave no answer for ${PATIENT_MS} ms`);
    const second = await timed(() => Promise.all(Array.from({ length: 10 }, () => service.token('second'))));
    expect(new Set(second.result.map((token) => token.accessToken))).toEqual(new Set([replicas.api.tokens[1]]));
    expect(second.seconds).toBeLessThan(30);
    expect(replicas.api.requests).toHaveLength(2);
  });

  it('that comes and goes changes nothing for callers: the same token, one call', async () => {
    const { accessToken } = await service.token('shop');
    const seen = new Set<string>();
    let isOver = false;
    const callers = Array.from({ length: 5 }, async () => {
      while (!isOver) seen.add((await service.token('shop')).accessToken);
    });
    const flaps = async () => {
      for (let flap = 0; flap < 3; flap++) {
        await way.set('cut');
        await waitFor(async () => !(await isReady()), { what: 'not being ready' });
        await way.set('pass');
        await waitFor(isReady, { what: 'being ready again' });
      }
    };
    await Promise.all([flaps().finally(() => (isOver = true)), ...callers]);
    expect(seen).toEqual(new Set([accessToken]));
    expect(replicas.api.requests).toHaveLength(1);
  });

  it('that is away when a token is refused does not bring it back here', async () => {
    const first = await service.token('shop');
    await way.set('cut');
    await waitFor(async () => !(await isReady()), { what: 'not being ready' });
    const second = await service.token('shop', first.fingerprint);
    expect(second.accessToken).toBe(replicas.api.tokens[1]);
    await afterTheCopy();
    expect((await service.token('shop')).accessToken).toBe(second.accessToken);
    expect(replicas.api.requests).toHaveLength(2);
    await way.set('pass');
    await waitFor(isReady, { what: 'being ready again' });
    await afterTheCopy();
    // Redis still has the refused token.
    expect(await replicas.entries('token:')).toHaveLength(1);
    expect((await service.token('shop')).accessToken).not.toBe(first.accessToken);
  });

  it('that is read only costs one call for a token that it lost, is not ready, and is ready again when it can write', async () => {
    const { accessToken } = await service.token('shop');
    isReadOnly = true;
    const [entry] = await replicas.entries('token:');
    await replicas.redis.del(entry?.key ?? '');
    for (let look = 0; look < 3; look++) {
      await afterTheCopy();
      expect((await service.token('shop')).accessToken).toBe(accessToken);
      expect((await service.token('second')).accessToken).toBe(replicas.api.tokens[1]);
    }
    expect(replicas.api.requests).toHaveLength(2);
    expect(await isReady()).toBe(false);
    isReadOnly = false;
    await waitFor(isReady, { what: 'being ready again' });
    const isKeptAgain = async () => {
      await service.token('shop');
      return (await replicas.entries('token:')).length > 0;
    };
    await waitFor(isKeptAgain, { what: 'a token in Redis' });
    expect(replicas.api.requests).toHaveLength(3);
  });

  it('that is read only keeps a refused token from nobody else, and here it is not handed out again, however often it is reported', async () => {
    const first = await service.token('shop');
    isReadOnly = true;
    const second = await service.token('shop', first.fingerprint);
    expect(second.accessToken).toBe(replicas.api.tokens[1]);
    for (let look = 0; look < 2; look++) {
      await afterTheCopy();
      for (let i = 0; i < 10; i++)
        expect((await service.token('shop', first.fingerprint)).accessToken).toBe(second.accessToken);
      await afterTheCopy();
      expect((await service.token('shop')).accessToken).toBe(second.accessToken);
    }
    expect(replicas.api.requests).toHaveLength(2);
    expect(await replicas.entries('token:')).toHaveLength(1);
  });

  it('that says late that a lock is set has it extended at once, for little of it may be left', async () => {
    const log = createLogger({ name: 'test', level: 'silent' });
    const answerMs = 30_000;
    const redis = new RedisClient({ url: way.through(redisUrl), name: 'tokens', log, answerMs });
    const store = new EntryStore(
      redis,
      { redisKeyPrefix: replicas.prefix, redisAnswerMs: answerMs },
      log,
      new Health(),
    );
    const key = `${replicas.prefix}lock:late`;
    await waitFor(() => store.read(key).then(() => true), { what: 'Redis' });
    await way.set('half-open');
    const answerLate = async () => {
      await untilLocked();
      await afterTheCopy();
      await way.set('pass');
    };
    const [lock] = await Promise.all([store.lock(key, 10_000), answerLate()]);
    // An extension sent before this read has been applied before it.
    expect((await store.read(key))?.ttlMs).toBeLessThanOrEqual(5_000);
    await lock?.release();
    store.onApplicationShutdown();
    await redis.close();
  });

  it('that wakes up after a lock was given up leaves no lock behind', async () => {
    await way.set('half-open');
    await Promise.all([service.token('shop'), untilLocked()]);
    await way.set('pass');
    await waitFor(async () => (await replicas.entries('lock:')).length === 0, { what: 'the end of the lock' });
  });
});
