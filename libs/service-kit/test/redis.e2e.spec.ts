import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { closeRedis, connectRedis, createLogger, Health, type RedisClient } from '../src/index.js';

const redisUrl = new URL(process.env.REDIS_URL ?? 'redis://127.0.0.1:16379');

/** A way to Redis that can be absent, open and cut. */
class Way {
  readonly #sockets = new Set<Socket>();
  readonly #server: Server = createServer((near) => {
    const far = connect(Number(redisUrl.port || 6379), redisUrl.hostname);
    for (const socket of [near, far]) {
      this.#sockets.add(socket);
      socket.on('error', () => socket.destroy()).on('close', () => this.#sockets.delete(socket));
    }
    near.pipe(far).pipe(near);
  });

  async open(port: number): Promise<number> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  async cut(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

async function until<T>(what: string, condition: () => T | undefined | false): Promise<T> {
  const giveUpAt = Date.now() + 8_000;
  for (;;) {
    const value = condition();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > giveUpAt) throw new Error(`never came: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe('a service whose Redis comes, goes and comes back', () => {
  const lines: { level: string; message: string }[] = [];
  const log = createLogger({ name: 'test', destination: { write: (line) => void lines.push(JSON.parse(line) as (typeof lines)[0]) } });
  const health = new Health();
  let way = new Way();
  let port: number;
  let client: RedisClient;
  const isReady = () => health.notReady().length === 0;

  beforeAll(async () => {
    port = await way.open(0);
    await way.cut();
    const url = new URL(redisUrl);
    url.host = `127.0.0.1:${port}`;
    client = connectRedis({ url, name: 'test', log, health, maxDelayMs: 50 });
  });
  afterAll(async () => {
    await closeRedis(client);
    await way.cut();
  });

  it('says that it cannot be reached, again and again, and is not ready', async () => {
    await until('two attempts', () => lines.filter(({ level }) => level === 'warn').length >= 2);
    expect(lines[0]?.message).toMatch(
      new RegExp(`^Redis at 127\\.0\\.0\\.1:${port} cannot be reached: .*ECONNREFUSED.*\\. Trying again in \\d+ ms$`),
    );
    expect(health.notReady()).toEqual([{ name: 'redis-test', reason: expect.stringContaining('cannot be reached') }]);
  });

  it('fails commands at once meanwhile', async () => {
    await expect(client.ping()).rejects.toThrow();
  });

  it('becomes ready when Redis comes', async () => {
    way = new Way();
    await way.open(port);
    await until('readiness', isReady);
    expect(await client.ping()).toBe('PONG');
    expect(lines.at(-1)).toMatchObject({ level: 'info', message: `connected to Redis at 127.0.0.1:${port}` });
  });

  it('is not ready when the connection is lost, and recovers by itself', async () => {
    await way.cut();
    await until('not ready', () => !isReady());
    way = new Way();
    await way.open(port);
    await until('readiness', isReady);
    expect(await client.ping()).toBe('PONG');
  });

  it('closes at once even when Redis is away', async () => {
    const other = connectRedis({ url: 'redis://127.0.0.1:1', name: 'other', log, health: new Health() });
    await until('an attempt', () => lines.some(({ message }) => message.includes('127.0.0.1:1 ')));
    await closeRedis(other);
    expect(other.isOpen).toBe(false);
  });
});
