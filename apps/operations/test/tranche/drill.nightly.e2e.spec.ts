import { operatorKey, startDrillWorld, waitFor, type DrillWorld } from '@tranche/testing';
import { aTerminal } from './cli-stage.js';

const QUARTER_MS = 16 * 60_000;
const reason = ['--reason', 'The back office shows it, ticket 900', '--yes'];

interface Judgement {
  verdict: string;
  open?: string;
  done: { by: string; what: string }[];
  platform: Record<string, number>;
  books: Record<string, number>;
  cost: { maybeTwice: number; leftUndone: number; minutes: number };
}

let world: DrillWorld;
let terminal: ReturnType<typeof aTerminal>;
beforeAll(async () => {
  world = await startDrillWorld();
  terminal = aTerminal(world.env);
});
afterAll(async () => {
  terminal?.close();
  await world?.stop();
});

const run = (person: 'alice' | 'bob', ...args: string[]) => terminal.run(args, { TRANCHE_TOKEN: operatorKey(person) });

/** Starts a situation. Returns its order. */
async function start(name: string): Promise<string> {
  const { code, out, err } = await run('alice', 'drill', 'start', name, '-o', 'json');
  if (code !== 0) throw new Error(`${name}: ${err}`);
  return (JSON.parse(out) as { order: string }).order;
}

async function check(name: string): Promise<Judgement & { code: number }> {
  const { code, out, err } = await run('alice', 'drill', 'check', name, '-o', 'json');
  if (out === '') throw new Error(`${name}: ${err}`);
  return { code, ...(JSON.parse(out) as Judgement) };
}

/** Judges until it is over: what happens by itself takes its time. */
const judged = (name: string): Promise<Judgement & { code: number }> =>
  waitFor(async () => { const judgement = await check(name); return judgement.verdict === 'open' ? undefined : judgement; }, { timeoutMs: 60_000, what: `the end of ${name}` }); // prettier-ignore

async function backOffice(order: string, operation: string): Promise<{ transactionId: string; amount: number; origin: string }[]> {
  const { out } = await run('alice', 'drill', 'back-office', order, '-o', 'json');
  return (JSON.parse(out) as { operationType: string; transactionId: string; amount: number; origin: string }[]).filter(({ operationType }) => operationType === operation);
} // prettier-ignore

/** One person says it, another one agrees. */
async function said(...args: string[]): Promise<void> {
  expect(await run('alice', ...args, ...reason)).toMatchObject({
    code: 7,
    err: expect.stringContaining('tranche approve'),
  });
  expect(await run('bob', 'approve', args[1]!, '--yes')).toMatchObject({
    code: 0,
    err: expect.stringContaining('it counted'),
  });
}

it('ten situations are played, solved and judged by `tranche` alone', async () => {
  const order: Record<string, string> = {};
  const begin = async (...names: string[]) => { for (const name of names) order[name] = await start(name); }; // prettier-ignore
  await begin('rail-down', 'late', 'forged', 'executed', 'not-executed', 'back-office', 'conflict');
  await begin('wrong-key', 'poison');

  expect(await check('executed')).toMatchObject({ code: 6, verdict: 'open' });
  const [ours] = await backOffice(order.executed!, 'capture');
  await said('resolve', order.executed!, 'succeeded', '--transaction-id', ours!.transactionId);
  const executed = await judged('executed');
  expect(executed).toMatchObject({ code: 0, verdict: 'solved', cost: { maybeTwice: 0, leftUndone: 0 } });
  expect(executed.done.map(({ by, what }) => `${by} ${what}`).join()).toMatch(/alice resolution.submit succeeded.*bob resolution.approve/);

  const refunds = await backOffice(order['back-office']!, 'refund');
  expect(refunds).toHaveLength(2);
  await said('resolve', order['back-office']!, 'succeeded', '--transaction-id', refunds.find(({ origin }) => origin === 'request')!.transactionId);
  expect(await judged('back-office')).toMatchObject({ verdict: 'solved', books: { refunded: 10_000 } });

  const [half] = await backOffice(order.conflict!, 'capture');
  await said('settle', order.conflict!, 'kept', '--result', 'succeeded', '--amount', String(half!.amount));
  expect(await judged('conflict')).toMatchObject({ verdict: 'solved', books: { captured: half!.amount } });

  for (const name of ['wrong-key', 'poison'])
    expect(await judged(name)).toMatchObject({ verdict: 'solved', done: [], platform: { captured: expect.any(Number) } });
  await begin('redis-lost');
  for (const name of ['redis-lost', 'rail-down', 'late', 'forged'])
    expect(await judged(name)).toMatchObject({ code: 0, verdict: 'solved', done: [], cost: { maybeTwice: 0, leftUndone: 0 } });

  expect(await backOffice(order['not-executed']!, 'capture')).toEqual([]);
  const nothing = ['resolve', order['not-executed']!, 'not-executed'];
  expect(await run('alice', ...nothing, ...reason)).toMatchObject({ code: 3, err: expect.stringContaining('not_executed_too_early') });
  await world.travel(QUARTER_MS);
  await said(...nothing);
  expect(await judged('not-executed')).toMatchObject({ code: 0, verdict: 'solved', platform: { captured: 0 } });
}, 240_000); // prettier-ignore

it('what was done wrongly, and what was needless, is told with its cost', async () => {
  const order = await start('executed');
  await said('resolve', order, 'refused', '--exec-code', '4001');
  const wrong = await judged('executed');
  expect(wrong).toMatchObject({ code: 6, verdict: 'wrong', books: { captured: 0 }, cost: { leftUndone: 0 } });
  expect(wrong.cost.maybeTwice).toBe(wrong.platform.captured);

  const late = await start('late');
  const [ours] = await backOffice(late, 'capture');
  await said('resolve', late, 'succeeded', '--transaction-id', ours!.transactionId);
  expect(await judged('late')).toMatchObject({ code: 6, verdict: 'needless', cost: { maybeTwice: 0 } });
}, 120_000);
