import dns from 'node:dns';
import { silentLog } from '@tranche/runtime';
import { failOver, openFront, RedisServer, startRedisPair, waitFor, type RedisPair } from '@tranche/testing';
import { createLogger, Health, RedisClient, type RedisOptions, type ServiceLogger } from '../src/index.js';

const NAME = 'redis.spec.example';

describe('a Redis that is not the right one any more, though its connection stays open', () => {
  const stops: (() => Promise<unknown>)[] = [];
  const lines: string[] = [];
  const log = createLogger({
    name: 'spec',
    destination: { write: (line) => void lines.push((JSON.parse(line) as { message: string }).message) },
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    lines.length = 0;
    for (const stop of stops.splice(0).reverse()) await stop();
  });

  async function pair(): Promise<RedisPair> {
    const started = await startRedisPair();
    stops.push(() => started.stop());
    return started;
  }
  async function server(): Promise<RedisServer> {
    const started = await RedisServer.start();
    stops.push(() => started.stop());
    return started;
  }
  async function connected(options: Pick<RedisOptions, 'url' | 'currentUrl'>) {
    const health = new Health();
    const client = new RedisClient({ name: 'spec', log, health, ...options });
    stops.push(() => client.close());
    const untilReady = () => waitFor(() => client.isReady, { timeoutMs: 60_000, what: 'readiness' });
    const untilNotReady = () =>
      waitFor(() => health.notReady()[0]?.reason, { timeoutMs: 60_000, what: 'not being ready' });
    await untilReady();
    return { client, untilReady, untilNotReady };
  }

  it('is left when it became a replica, without any command of the service; the next connection is to whom its name stands for', async () => {
    const servers = await pair();
    const { client, untilReady, untilNotReady } = await connected({ url: servers.name.url });
    await client.set('key', 'before');
    await failOver(servers);
    expect(await untilNotReady()).toMatch(/it is a replica and takes no writes|READONLY/);
    servers.name.leadTo(servers.replica.url);
    await untilReady();
    expect(await client.get('key')).toBe('before');
    await client.set('key', 'after');
    expect(await servers.replica.ask(['GET', 'key'])).toBe('after');
  });

  it('is left at the first write that it refuses, where this user may not ask for the role: that is said once', async () => {
    const servers = await pair();
    for (const one of [servers.primary, servers.replica])
      await one.ask(['ACL', 'SETUSER', 'spec', 'on', '>secret', '~*', '+@all', '-role']);
    const url = servers.name.url.replace('//', '//spec:secret@');
    const { client, untilReady } = await connected({ url });
    await waitFor(() => lines.some((line) => line.includes('Allow the command ROLE')), { what: 'the warning' });
    await failOver(servers);
    servers.name.leadTo(servers.replica.url);
    await expect(client.eval("return redis.call('set', KEYS[1], '1')", { keys: ['key'] })).rejects.toThrow('READONLY');
    await untilReady();
    await client.set('key', 'after');
    expect(await servers.replica.ask(['GET', 'key'])).toBe('after');
    expect(lines.filter((line) => line.includes('Allow the command ROLE'))).toHaveLength(1);
  });

  it('is left when its name stands for another server, though it is still a master', async () => {
    const [before, after] = [await server(), await server()];
    const first = await openFront({ host: '127.0.0.2' });
    const port = Number(new URL(first.url).port);
    const second = await openFront({ host: '127.0.0.3', port });
    first.leadTo(before.url);
    second.leadTo(after.url);
    stops.push(
      () => first.close(),
      () => second.close(),
    );
    let address: string | undefined = '127.0.0.2';
    const found = (host: string) => {
      if (host !== NAME || address === undefined) throw Object.assign(new Error('ENOTFOUND'), { code: 'ENOTFOUND' });
      return [{ address, family: 4 }];
    };
    jest
      .spyOn(dns.promises, 'lookup')
      .mockImplementation(((host: string) => Promise.resolve().then(() => found(host))) as never);
    jest.spyOn(dns, 'lookup').mockImplementation(((
      host: string,
      { all }: { all?: boolean },
      done: (error: null, ...of: unknown[]) => void,
    ) => {
      const [one] = found(host);
      process.nextTick(() => (all ? done(null, [one]) : done(null, one?.address, 4)));
    }) as never);
    const { client } = await connected({ url: `redis://${NAME}:${port}` });
    await client.set('key', 'before');
    address = undefined;
    const asked = () => jest.mocked(dns.promises.lookup).mock.calls.length;
    const asksAgain = asked() + 2;
    await waitFor(() => asked() >= asksAgain, { timeoutMs: 60_000, what: 'two looks while the DNS is away' });
    expect(client.isReady).toBe(true);
    address = '127.0.0.3';
    const isElsewhere = () =>
      client
        .set('key', 'after')
        .then(() => after.ask(['GET', 'key']))
        .catch(() => null);
    await waitFor(async () => (await isElsewhere()) === 'after', {
      timeoutMs: 60_000,
      what: 'a write to the other one',
    });
    expect(lines).toContainEqual(expect.stringContaining('its name stands for 127.0.0.3 now'));
  });

  it('is connected to with the password of now; while that is refused the log says which setting to change', async () => {
    const one = await server();
    await one.ask(['CONFIG', 'SET', 'requirepass', 'old']);
    let password = 'old';
    const withPassword = () => one.url.replace('//', `//:${password}@`);
    const { client, untilReady, untilNotReady } = await connected({ url: withPassword(), currentUrl: withPassword });
    await client.sendToEach(['CONFIG', 'SET', 'requirepass', 'new']);
    await client.sendToEach(['CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'no']).catch(() => undefined);
    await untilNotReady();
    await waitFor(() => lines.some((line) => /WRONGPASS .*REDIS_URL_FILE/.test(line)), { what: 'the reason' });
    password = 'new';
    await untilReady();
    await client.set('key', 'value');
  });
});

it('a client of a replica does not become ready, and says why', async () => {
  const servers = await startRedisPair();
  const client = new RedisClient({ url: servers.replica.url, name: 'spec', log: silentLog as ServiceLogger });
  const whyNot = () =>
    client.get('key').then(
      () => 'it answers',
      (error: Error) => error.message,
    );
  await waitFor(() => whyNot().then((reason) => reason.includes('it is a replica')), {
    what: 'the reason',
  });
  await client.close();
  await servers.stop();
});
