import { validateAuthEventData, type AuthEvent } from '@tranche/contracts';
import { infrastructure, ownPrefix, waitFor, type EventsOf } from '@tranche/testing';
import type { AuthServiceUnderTest } from './auth-service.js';
import { authEventsOf, metricOf, Replicas } from './replicas.js';
import { answerJson } from './token-api.js';

// All in one file, because loading the service takes longer than most of these tests.

const NEW_KEY = Buffer.alloc(32, 8).toString('base64');

describe('another encryption key', () => {
  const replicas = new Replicas();

  it('costs one call for an account, and nothing breaks: a fingerprint of before it is still understood [Ours.key-rotation]', async () => {
    const before = await (await replicas.start()).token();
    const service = await replicas.start({ TOKEN_ENCRYPTION_KEY: NEW_KEY });
    const after = await service.token();
    expect(after.accessToken).toBe(replicas.api.tokens[1]);
    expect((await service.token('shop', before.fingerprint)).accessToken).toBe(after.accessToken);
    expect(replicas.api.requests).toHaveLength(2);
    expect(service.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('beside the one of before costs a call for each, not one whenever they look', async () => {
    const both = [await replicas.start(), await replicas.start({ TOKEN_ENCRYPTION_KEY: NEW_KEY })];
    const looksOf = async (service: AuthServiceUnderTest) => {
      const [line = ''] = (await metricOf(service, 'auth_tokens_served_total{')).filter((each) =>
        each.includes('"cache"'),
      );
      return Number(line.slice(line.lastIndexOf(' ')));
    };
    await waitFor(
      async () => {
        await Promise.all(both.map((service) => service.token()));
        return (await Promise.all(both.map(looksOf))).every((looks) => looks >= 3);
      },
      { what: 'three looks into Redis', timeoutMs: 60_000 },
    );
    expect(replicas.api.requests).toHaveLength(2);
  });
});

describe("an entry that was put in another's place in Redis", () => {
  const replicas = new Replicas();

  /** Exchanges the values of two accounts, as an attacker with access to Redis could. */
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

describe('auth.events.v1', () => {
  const replicas = new Replicas();
  const { brokers } = infrastructure();
  let events: EventsOf<AuthEvent> | undefined;
  afterEach(async () => {
    await events?.stop();
    events = undefined;
  });

  it('tells that a token was refreshed, invalidated or refused, and never a token', async () => {
    const topicPrefix = ownPrefix();
    const service = await replicas.start({ KAFKA_BROKERS: brokers, KAFKA_TOPIC_PREFIX: topicPrefix });
    const topic = (events = await authEventsOf(topicPrefix));
    const first = await service.token();
    const second = await service.token('shop', first.fingerprint);
    replicas.api.answer = (response) =>
      answerJson(response, 401, { error: 'invalid_client', error_description: 'canary' });
    await service.post({ account: 'second' });

    await topic.next(({ type }) => type === 'auth.token.refused');
    await topic.next(({ type, data }) => type === 'auth.token.refreshed' && data.fingerprint === second.fingerprint);
    const announced = topic.events.map(({ type, source, subject, data }) => {
      expect(validateAuthEventData(type, data).faults).toEqual([]);
      expect([source, subject]).toEqual(['auth-service', data.account]);
      return [type, data];
    });
    const life = expect.any(Number) as number;
    expect(announced.filter(([, data]) => (data as AuthEvent).account === 'shop')).toEqual([
      ['auth.token.refreshed', { account: 'shop', fingerprint: first.fingerprint, expiresInSeconds: life }],
      ['auth.token.invalidated', { account: 'shop', fingerprint: first.fingerprint, reason: 'reported as refused' }],
      ['auth.token.refreshed', { account: 'shop', fingerprint: second.fingerprint, expiresInSeconds: life }],
    ]);
    expect(announced.filter(([, data]) => (data as AuthEvent).account === 'second')).toEqual([
      [
        'auth.token.refused',
        { account: 'second', reason: 'The token API refused the account (HTTP 401, invalid_client).' },
      ],
    ]);
    const written = JSON.stringify(topic.events);
    for (const secret of [...replicas.api.tokens, 'canary']) expect(written).not.toContain(secret);
  });

  it('is not needed: with a Kafka that is away the service starts, is ready, answers and stops', async () => {
    const service = await replicas.start({ KAFKA_BROKERS: '127.0.0.1:1' });
    const { accessToken } = await service.token();
    expect(accessToken).toBe(replicas.api.tokens[0]);
    expect((await fetch(`${service.managementUrl}/health/ready`)).status).toBe(200);
    expect((await fetch(`${service.managementUrl}/health/live`)).status).toBe(200);
    const isSaid = () =>
      service.lines.some(({ message }) => String(message).startsWith('Kafka does not answer at 127.0.0.1:1'));
    await waitFor(isSaid, { what: 'the warning' });
    await service.stop();
  });

  it('is not written at all without KAFKA_BROKERS', async () => {
    const service = await replicas.start();
    await service.token();
    expect(await metricOf(service, 'kafka_events')).toEqual([]);
    // Nest lists its modules, including Kafka's.
    const said = service.lines.filter(({ context }) => context !== 'InstanceLoader');
    expect(said.filter(({ message }) => String(message).includes('Kafka'))).toEqual([]);
  });
});
