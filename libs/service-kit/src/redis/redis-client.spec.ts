import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ErrorReply } from 'redis';
import { silentLog } from '@tranche/runtime';
import type { ServiceLogger } from '../logger.js';
import { RedisClient } from './redis-client.js';
import type { LinkEvents, OpenLink, RedisLink } from './redis-link.js';
import { placeOf } from './redis-options.js';

jest.mock('./redis-options.js');

/** A link whose server's answers the test controls. */
class Link implements RedisLink {
  answerRole?: (role: [string]) => void;
  refuse?: (error: Error) => void;
  isReady = true;
  readonly commands = {
    get: () => new Promise((_, reject) => (this.refuse = reject)),
  } as unknown as RedisLink['commands'];
  readonly servers = [
    {
      address: 'redis:6379',
      send: <T>([command]: string[]) =>
        new Promise<T>((resolve) => {
          if (command === 'ROLE') this.answerRole = resolve as never;
          else resolve('PONG' as T);
        }),
    },
  ];
  moved?: (addresses: string) => void;
  readonly watchName = (onMoved: (addresses: string) => void) => {
    this.moved = onMoved;
    return () => (this.moved = undefined);
  };
  readonly close = () => Promise.resolve();
  readonly destroy = () => (this.isReady = false);

  constructor(readonly events: LinkEvents) {}
}

describe('a link that was lost, and whose answer comes when the next one is in use', () => {
  const links: Link[] = [];
  const open: OpenLink = (events) => Promise.resolve(links[links.push(new Link(events)) - 1] as Link);
  let client: RedisClient;

  beforeEach(async () => {
    // Only the role checks use fake timers.
    jest.useFakeTimers({
      doNotFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'nextTick', 'queueMicrotask', 'performance'],
    });
    jest.mocked(placeOf).mockReturnValue({ address: 'redis:6379', open });
    client = new RedisClient({ url: 'redis://redis', name: 'spec', log: silentLog as ServiceLogger, maxDelayMs: 1 });
    await once(client, 'ready');
  });
  afterEach(async () => {
    await client.close();
    links.length = 0;
    jest.useRealTimers();
  });

  const late: [string, (link: Link) => void][] = [
    ['it is a replica now', ({ answerRole }) => answerRole?.(['slave'])],
    ['a command is refused', ({ refuse }) => refuse?.(new ErrorReply('READONLY'))],
    ['its connection is closed', ({ events }) => events.trouble(new Error('closed'), true)],
  ];

  it.each(late)('leaves the next one in use: %s', async (_what, answer) => {
    const command = client.get('key').catch(() => undefined);
    jest.advanceTimersByTime(1_000);
    const [first] = links;
    expect(first).toMatchObject({ answerRole: expect.any(Function), refuse: expect.any(Function) });
    first?.events.trouble(new Error('cut'), true);
    await once(client, 'ready');
    answer(first as Link);
    await nextTurn();
    expect(client.isReady).toBe(true);
    first?.refuse?.(new Error('cut'));
    await command;
  });

  it('is not watched any more', async () => {
    expect(links[0]?.moved).toBeDefined();
    links[0]?.moved?.('10.0.0.2');
    await once(client, 'ready');
    expect(links[0]?.moved).toBeUndefined();
    expect(client.isReady).toBe(true);
  });
});
