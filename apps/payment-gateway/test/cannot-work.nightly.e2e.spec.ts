import { TOPICS } from '@tranche/contracts';
import { aPartnerBAuthorization, brokerGate, infrastructure, startApp, TcpProxy, waitFor, type BrokerGate, type RunningApp } from '@tranche/testing'; // prettier-ignore
import { startGatewayStack, type GatewayStack } from './gateway-stack.js';
import { orderIn } from './orders-in-partition.js';

const JOURNAL_PARTITIONS = TOPICS.journal.partitions;
const ALL = Array.from({ length: JOURNAL_PARTITIONS }, (_, partition) => partition);
const HALF = JOURNAL_PARTITIONS / 2;
const WITHIN_MS = 90_000;
const SAID = /has not been able to work for 30 s/;

/** Replaces the process's date: right, 90 s ahead, right, 90 s behind, right. SIGUSR2 goes on. */
const settableDate = () => {
  const script = `
    let [offsetMs, ...next] = [0, 90_000, 0, -90_000, 0];
    const RealDate = Date;
    const now = () => RealDate.now() + offsetMs;
    globalThis.Date = new Proxy(RealDate, {
      construct: (target, args, self) => Reflect.construct(target, args.length === 0 ? [now()] : args, self),
      get: (target, name, self) => (name === 'now' ? now : Reflect.get(target, name, self)),
    });
    process.on('SIGUSR2', () => (offsetMs = next.shift()));`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` };
};

let stack: GatewayStack;
let first: RunningApp;
let second: RunningApp;
let ways: { redisOfFirst: TcpProxy; redis: TcpProxy; platform: TcpProxy; kafka: BrokerGate };

beforeAll(async () => {
  const { brokers, redisUrl } = infrastructure();
  const platform = await TcpProxy.listen(() => stack.simulator.url);
  const [redisOfFirst, redis] = [await TcpProxy.listen(() => redisUrl), await TcpProxy.listen(() => redisUrl)];
  ways = { redisOfFirst, redis, platform, kafka: await brokerGate(brokers.split(',')[0]!) };
  stack = await startGatewayStack({ REDIS_URL: redisOfFirst.through(redisUrl) });
  first = stack.gateway;
  second = await startApp('payment-gateway', {
    ...{
      ...stack.env,
      ...settableDate(),
      REDIS_URL: redis.through(redisUrl),
      PAYMENT_URL: `http://127.0.0.1:${platform.port}`,
    },
    KAFKA_BROKERS: ways.kafka.address,
  });
}, 120_000);
afterAll(async () => {
  await Promise.all([second.stop(), stack.stop()]);
  await Promise.all(Object.values(ways).map((way) => way.close()));
});

const readiness = async ({ managementUrl }: RunningApp) => (await fetch(`${managementUrl}/health/ready`)).text();
const changeDate = () => void process.kill(second.pid, 'SIGUSR2');
/** Resolves once the clocks were compared: a command that is sent before is taken by the old date. */
const makeDateWrong = async () => {
  changeDate();
  const isSeen = async () => (await readiness(second)).includes('s apart');
  await waitFor(isSeen, { timeoutMs: WITHIN_MS, what: 'the clocks to be seen apart' });
};
const isReady = async ({ managementUrl }: RunningApp) => (await fetch(`${managementUrl}/health/ready`)).ok;

/** Journal partitions of each join, by the gateway's log. */
const joins = ({ logs }: RunningApp): number[] =>
  logs
    .filter((line) => line.includes('joined the consumer group') && line.includes(TOPICS.journal.name))
    .map((line) => JSON.parse(line) as { partitions: Record<string, number[]> })
    .map(({ partitions }) => partitions[stack.prefix + TOPICS.journal.name]?.length ?? 0);
const owned = (gateway: RunningApp) => joins(gateway).at(-1) ?? 0;
const untilOwned = (ofFirst: number, ofSecond: number) =>
  waitFor(() => owned(first) === ofFirst && owned(second) === ofSecond, {
    ...{ timeoutMs: WITHIN_MS, what: `${ofFirst} and ${ofSecond} partitions` },
  });
const said = ({ logs }: RunningApp) => logs.filter((line) => SAID.test(line)).length;
const saidAgain = ({ logs }: RunningApp) => logs.filter((line) => line.includes('can work again')).length;

/** One order of each partition is paid, once and within the time. */
async function payEverywhere(name: string): Promise<void> {
  const sentMs = Date.now();
  const orders = ALL.map((partition) => orderIn(partition, name));
  await Promise.all(orders.map((orderId) => stack.send('payment.authorize', aPartnerBAuthorization({ orderId }))));
  const missing = () => orders.filter((orderId) => !stack.typesOf(orderId).includes('payment.authorize.redirect_required')); // prettier-ignore
  await waitFor(() => missing().length === 0, { timeoutMs: WITHIN_MS, what: 'an event for every order' }).catch(
    (cause: unknown) => {
      throw new Error(`${name}: no event of ${missing().length} of ${orders.length} orders`, { cause });
    },
  );
  const ledgers = await Promise.all(orders.map((orderId) => stack.ledgerOf(orderId)));
  console.log(`${name}: ${orders.length} orders in ${Math.round((Date.now() - sentMs) / 1000)} s`);
  expect(ledgers.map(({ calls }) => calls.filter(({ executed }) => executed).length)).toEqual(ALL.map(() => 1));
}

const unreadableDecisions = async () => {
  ways.kafka.refuse(TOPICS.decisions.name);
  // An owner that serves needs no decisions; one that gets a partition does.
  const third = await startApp('payment-gateway', { ...stack.env, REDIS_URL: infrastructure().redisUrl });
  await third.stop();
};

it.each<{ obstacle: string; begin: () => unknown; end: () => unknown }>([
  { obstacle: 'redis-cut', begin: () => ways.redis.set('cut'), end: () => ways.redis.set('pass') },
  { obstacle: 'platform-cut', begin: () => ways.platform.set('cut'), end: () => ways.platform.set('pass') },
  { obstacle: 'clock-ahead', begin: makeDateWrong, end: changeDate },
  { obstacle: 'clock-behind', begin: makeDateWrong, end: changeDate },
  { obstacle: 'decisions', begin: unreadableDecisions, end: () => ways.kafka.refuse(undefined) },
])(
  'what one instance cannot do, another one does: $obstacle',
  async ({ obstacle, begin, end }) => {
    await untilOwned(HALF, HALF);
    try {
      await begin();
      await payEverywhere(`${obstacle}-during`);
      await untilOwned(JOURNAL_PARTITIONS, 0);
      expect(await readiness(second)).toContain('its partitions are with another instance');
    } finally {
      await end();
    }
    await untilOwned(HALF, HALF);
    await waitFor(() => isReady(second), { timeoutMs: WITHIN_MS, what: 'the instance to be ready' });
    await payEverywhere(`${obstacle}-after`);
  },
  400_000,
);

it('where both have the obstacle, both keep partitions, and nothing moves again and again', async () => {
  await untilOwned(HALF, HALF);
  const before = joins(first).length;
  const [saidByFirst, saidBySecond] = [said(first), said(second)];
  const again = [saidAgain(first), saidAgain(second)];
  await Promise.all([ways.redisOfFirst.set('cut'), ways.redis.set('cut')]);
  await waitFor(() => said(first) > saidByFirst && said(second) > saidBySecond, { timeoutMs: WITHIN_MS, what: 'both to say so' }); // prettier-ignore
  await untilOwned(HALF, HALF);
  await Promise.all([ways.redisOfFirst.set('pass'), ways.redis.set('pass')]);
  await payEverywhere('both');
  await waitFor(() => saidAgain(first) > again[0]! && saidAgain(second) > again[1]!, {
    ...{ timeoutMs: WITHIN_MS, what: 'both to say that they work' },
  });
  expect(joins(first).length - before).toBeLessThanOrEqual(4);
}, 400_000);

it('the only instance stays and says so', async () => {
  await first.stop();
  await waitFor(() => owned(second) === JOURNAL_PARTITIONS, { timeoutMs: WITHIN_MS, what: 'all partitions' });
  const before = said(second);
  await ways.redis.set('cut');
  await waitFor(() => said(second) > before, { timeoutMs: WITHIN_MS, what: 'it to say so' });
  expect(owned(second)).toBe(JOURNAL_PARTITIONS);
  await ways.redis.set('pass');
  await payEverywhere('alone');
}, 400_000);
