import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePorts, infrastructure, waitFor } from '@tranche/testing';
import { createLogger, Health, RedisClient } from '../src/index.js';

const redisUrl = new URL(infrastructure().redisUrl);

const answer = async (client: RedisClient) => (await client.sendToEach<string>(['PING']))[0]?.answer;

/** A proxy in front of Redis that can be closed, open, silent or cut. */
class Way {
  readonly #sockets = new Set<Socket>();
  isSilent = false;
  readonly #server: Server = createServer((near) => {
    const far = connect(Number(redisUrl.port || 6379), redisUrl.hostname);
    for (const socket of [near, far]) {
      this.#sockets.add(socket);
      socket.on('error', () => socket.destroy()).on('close', () => this.#sockets.delete(socket));
    }
    near.pipe(far);
    far.on('data', (bytes) => {
      if (!this.isSilent) near.write(bytes);
    });
  });

  async open(port: number): Promise<void> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async cut(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

describe('a service whose Redis comes, goes and comes back', () => {
  const lines: { level: string; message: string }[] = [];
  const log = createLogger({
    name: 'test',
    destination: { write: (line) => void lines.push(JSON.parse(line) as (typeof lines)[0]) },
  });
  const health = new Health();
  let way = new Way();
  let port: number;
  let client: RedisClient;
  const isReady = () => health.notReady().length === 0;

  beforeAll(async () => {
    [port] = await freePorts();
    const url = new URL(redisUrl);
    url.host = `127.0.0.1:${port}`;
    client = new RedisClient({ url, name: 'test', log, health, maxDelayMs: 50, silenceMs: 2_000 });
  });
  afterAll(async () => {
    await client.close();
    await way.cut();
  });

  it('says that it cannot be reached, again and again, and is not ready', async () => {
    await waitFor(() => lines.filter(({ level }) => level === 'warn').length >= 2, { what: 'two attempts' });
    expect(lines[0]?.message).toMatch(
      new RegExp(`^Redis at 127\\.0\\.0\\.1:${port} cannot be reached: .*ECONNREFUSED.*\\. Trying again in \\d+ ms$`),
    );
    expect(health.notReady()).toEqual([{ name: 'redis-test', reason: expect.stringContaining('cannot be reached') }]);
  });

  it('fails commands at once meanwhile', async () => {
    await expect(answer(client)).rejects.toThrow('cannot be reached');
  });

  it('becomes ready when Redis comes', async () => {
    way = new Way();
    await way.open(port);
    await waitFor(isReady, { what: 'readiness' });
    expect(await answer(client)).toBe('PONG');
    expect(lines.at(-1)).toMatchObject({ level: 'info', message: `connected to Redis at 127.0.0.1:${port}` });
  });

  it('is not ready when the connection is lost, and recovers by itself', async () => {
    await way.cut();
    await waitFor(() => !isReady(), { what: 'not ready' });
    way = new Way();
    await way.open(port);
    await waitFor(isReady, { what: 'readiness' });
    expect(await answer(client)).toBe('PONG');
  });

  it('cuts a connection that has gone silent: commands under way fail, and it recovers by itself', async () => {
    way.isSilent = true;
    await expect(answer(client)).rejects.toThrow();
    expect(isReady()).toBe(false);
    expect(lines.some(({ message }) => message.includes('no answer for 2000 ms'))).toBe(true);
    way.isSilent = false;
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
