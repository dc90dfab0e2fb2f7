import { infrastructure, TcpProxy, waitFor } from '@tranche/testing';
import { createLogger, Health, RedisClient } from '../src/index.js';

const { redisUrl } = infrastructure();

const answer = async (client: RedisClient) => (await client.sendToEach<string>(['PING']))[0]?.answer;

describe('a service whose Redis comes, goes and comes back', () => {
  const lines: { level: string; message: string }[] = [];
  const log = createLogger({
    name: 'test',
    destination: { write: (line) => void lines.push(JSON.parse(line) as (typeof lines)[0]) },
  });
  const health = new Health();
  let way: TcpProxy;
  let client: RedisClient;
  const isReady = () => health.notReady().length === 0;

  beforeAll(async () => {
    way = await TcpProxy.listen(() => redisUrl);
    await way.set('cut');
    const url = way.through(redisUrl);
    client = new RedisClient({ url, name: 'test', log, health, maxDelayMs: 50, silenceMs: 2_000 });
  });
  afterAll(async () => {
    await client.close();
    await way.close();
  });

  it('says that it cannot be reached, again and again, and is not ready', async () => {
    await waitFor(() => lines.filter(({ level }) => level === 'warn').length >= 2, { what: 'two attempts' });
    expect(lines[0]?.message).toMatch(
      new RegExp(
        `^Redis at 127\\.0\\.0\\.1:${way.port} cannot be reached: .*ECONNREFUSED.*\\. Trying again in \\d+ ms$`,
      ),
    );
    expect(health.notReady()).toEqual([{ name: 'redis-test', reason: expect.stringContaining('cannot be reached') }]);
  });

  it('fails commands at once meanwhile', async () => {
    await expect(answer(client)).rejects.toThrow('cannot be reached');
  });

  it('becomes ready when Redis comes', async () => {
    await way.set('pass');
    await waitFor(isReady, { what: 'readiness' });
    expect(await answer(client)).toBe('PONG');
    expect(lines.at(-1)).toMatchObject({ level: 'info', message: `connected to Redis at 127.0.0.1:${way.port}` });
  });

  it('is not ready when the connection is lost, and recovers by itself', async () => {
    await way.set('cut');
    await waitFor(() => !isReady(), { what: 'not ready' });
    await way.set('pass');
    await waitFor(isReady, { what: 'readiness' });
    expect(await answer(client)).toBe('PONG');
  });

  it('cuts a connection that has gone silent: commands under way fail, and it recovers by itself', async () => {
    await way.set('half-open');
    await expect(answer(client)).rejects.toThrow();
    expect(isReady()).toBe(false);
    expect(lines.some(({ message }) => message.includes('no answer for 2000 ms'))).toBe(true);
    await way.set('pass');
    await waitFor(isReady, { what: 'readiness' });
    expect(await answer(client)).toBe('PONG');
  });

  it('needs no readiness to report to, where a service can do without Redis', async () => {
    const other = new RedisClient({ url: 'redis://127.0.0.1:1', name: 'optional', log });
    await waitFor(() => lines.some(({ message }) => message.includes('127.0.0.1:1 ')), { what: 'an attempt' });
    await expect(answer(other)).rejects.toThrow();
    await other.close();
  });

  it('closes at once even when Redis is away', async () => {
    const other = new RedisClient({ url: 'redis://127.0.0.1:1', name: 'other', log, health: new Health() });
    await waitFor(() => lines.some(({ message }) => message.includes('127.0.0.1:1 ')), { what: 'an attempt' });
    await other.close();
    expect(other.isOpen).toBe(false);
  });
});
