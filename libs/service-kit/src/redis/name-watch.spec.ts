import dns from 'node:dns';
import { watchName, type NameWatch } from './name-watch.js';

const HOST = 'redis.spec.example';
const SECOND = 1_000;

describe('the name of a Redis, and the connection that was made by it', () => {
  let answer: () => string[] | undefined;
  const moved = jest.fn();
  let watch: NameWatch;
  let stop: () => void;

  beforeEach(() => {
    jest.useFakeTimers();
    jest
      .spyOn(dns, 'lookup')
      .mockImplementation(((_: string, { all }: dns.LookupOptions, done: (error: null, ...of: unknown[]) => void) =>
        all ? done(null, [{ address: '10.0.0.1', family: 4 }]) : done(null, '10.0.0.1', 4)) as never);
    jest.spyOn(dns.promises, 'lookup').mockImplementation((() => {
      const addresses = answer();
      return addresses === undefined
        ? Promise.reject(new Error('ENOTFOUND'))
        : Promise.resolve(addresses.map((address) => ({ address, family: 4 })));
    }) as never);
    moved.mockClear();
    watch = watchName(HOST) as NameWatch;
  });
  afterEach(() => {
    stop();
    jest.useRealTimers();
    jest.restoreAllMocks();
  });

  const connect = (all = true) => {
    const connected = jest.fn();
    watch.lookup(HOST, { all }, connected);
    expect(connected).toHaveBeenCalledTimes(1);
    stop = watch.start(moved);
  };

  it.each([true, false])(
    'has moved within 15 s of its new address, and is left once (all addresses: %s)',
    async (all) => {
      answer = () => ['10.0.0.1'];
      connect(all);
      await jest.advanceTimersByTimeAsync(60 * SECOND);
      expect(moved).not.toHaveBeenCalled();
      answer = () => ['10.0.0.2', '10.0.0.3'];
      await jest.advanceTimersByTimeAsync(15 * SECOND);
      expect(moved).toHaveBeenCalledWith('10.0.0.2, 10.0.0.3');
      await jest.advanceTimersByTimeAsync(60 * SECOND);
      expect(moved).toHaveBeenCalledTimes(1);
    },
  );

  it.each<[string, (look: number) => string[] | undefined]>([
    ['answered with one of two addresses in turn', (look) => [`10.0.0.${1 + (look % 2)}`]],
    ['answered with one of ten addresses in turn', (look) => [`10.0.0.${1 + (look % 10)}`]],
    ['answered with one of two addresses, each for some looks', (look) => [`10.0.0.${1 + (Math.floor(look / 8) % 2)}`]],
    ['answered with more addresses than before', () => ['10.0.0.2', '10.0.0.1']],
    ['answered by no resolver', () => undefined],
  ])('is kept: %s', async (_what, addressesOf) => {
    const looks = { count: 0 };
    answer = () => addressesOf(looks.count++);
    connect();
    await jest.advanceTimersByTimeAsync(600 * SECOND);
    expect(looks.count).toBeGreaterThan(100);
    expect(moved).not.toHaveBeenCalled();
  });

  it('knows the addresses of the connection itself, not those of a look-up beside it', async () => {
    answer = () => ['10.0.0.2'];
    connect();
    await jest.advanceTimersByTimeAsync(15 * SECOND);
    expect(moved).toHaveBeenCalledWith('10.0.0.2');
  });

  it('says nothing after it was stopped, though a look-up was under way', async () => {
    answer = () => ['10.0.0.2'];
    connect();
    let resolve: (found: dns.LookupAddress[]) => void = () => undefined;
    const waits = () => {
      jest.mocked(dns.promises.lookup).mockImplementation((() => new Promise((done) => (resolve = done))) as never);
    };
    const looks = jest.mocked(dns.promises.lookup).mock.calls;
    while (looks.length < 19) await jest.advanceTimersByTimeAsync(100);
    waits();
    await jest.advanceTimersByTimeAsync(SECOND);
    expect(looks).toHaveLength(20);
    stop();
    resolve([{ address: '10.0.0.2', family: 4 }]);
    await jest.advanceTimersByTimeAsync(60 * SECOND);
    expect(moved).not.toHaveBeenCalled();
    expect(looks).toHaveLength(20);
  });
});

it('an address is no name: it cannot move', () => {
  expect(watchName('10.0.0.1')).toBeUndefined();
  expect(watchName('::1')).toBeUndefined();
});
