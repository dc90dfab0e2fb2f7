import { groupMembers } from '@tranche/kafka';
import type { OperatorIdentity } from '@tranche/operators';
import { Problem } from '@tranche/service-kit';
import { LogInMemory } from '../../test/log-in-memory.js';
import type { GatewayConfig } from '../gateway.config.js';
import { RailBreakers } from '../platform/rail-breakers.service.js';
import { Controls } from './controls.service.js';

jest.mock('@tranche/kafka', () => ({
  ...jest.requireActual<object>('@tranche/kafka'),
  LogReader: jest.fn(),
  groupMembers: jest.fn(),
}));

const START = Date.parse('2027-03-01T10:00:00Z');
const RAIL = 'rail:partner-b';
const anna: OperatorIdentity = { person: 'anna', role: 'operator' };
const ofShop: OperatorIdentity = { person: 'bernard', role: 'operator', merchants: ['shop-fr'] };
const reason = 'the partner asked for it';

function installation() {
  const log = new LogInMemory();
  const clock = {
    ms: START,
    nowMs: () => clock.ms,
    monotonicMs: () => clock.ms,
    sleep: (_: number, signal?: AbortSignal) =>
      new Promise<void>((_done, fail) => signal?.addEventListener('abort', () => fail(new Error('woken')))),
  };
  const merchants = { byName: (name: string) => (name.startsWith('shop-') ? { merchant: name } : undefined) };
  const members: string[] = [];
  jest
    .mocked(groupMembers)
    .mockImplementation(() => Promise.resolve(members.map((memberId) => ({ memberId }) as never)));
  /** An instance that has started, as this member of the group. */
  const instance = async (memberId: string) => {
    const { parts } = log;
    const controls = new Controls({ kafkaTopicPrefix: 'p.', merchants } as unknown as GatewayConfig, parts, clock);
    await controls.load();
    members.push(memberId);
    controls.joinAs(() => memberId);
    const lifetime = { stopping: new AbortController().signal };
    const rails = new RailBreakers({} as never, controls, clock, lifetime as never, parts.log, parts.metrics);
    return { controls, rails, leave: () => void members.splice(members.indexOf(memberId), 1) };
  };
  return { log, clock, instance };
}
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error: unknown) => (error instanceof Problem ? error.code : String(error)),
  );

it('a stopped rail begins nothing, other rails go on, and it begins again once it is lifted', async () => {
  const { controls, rails } = await installation().instance('a');
  const changed = jest.fn();
  controls.onChange(changed);
  await controls.set(RAIL, { reason }, anna);
  expect([rails.enter('partner-b', 'shop-fr'), rails.stopped.map(({ rail, cause }) => [rail, cause])]).toEqual([
    undefined,
    [['partner-b', 'operator']],
  ]);
  expect(rails.enter('partner-a', 'shop-fr')).toBeDefined();
  expect(await controls.lift(RAIL, anna)).toMatchObject({ scope: RAIL, by: 'anna', liftedBy: 'anna' });
  expect(rails.enter('partner-b', 'shop-fr')).toBeDefined();
  expect([rails.stopped, (await controls.list(anna)).length, changed.mock.calls.length]).toEqual([[], 0, 3]);
});

it('a stopped merchant begins nothing on any rail, and other merchants do', async () => {
  const { controls, rails } = await installation().instance('a');
  await controls.set('merchant:shop-fr', { reason }, ofShop);
  expect([rails.enter('partner-a', 'shop-fr'), rails.enter('card', 'shop-fr'), rails.stopped]).toEqual([
    undefined,
    undefined,
    [],
  ]);
  expect(rails.enter('card', 'shop-es')).toBeDefined();
});

it('it ends at its expiry by the clock, although Kafka is away, and wakes what waits', async () => {
  const { log, clock, instance } = installation();
  const { controls, rails } = await instance('a');
  await controls.set(RAIL, { reason, expiresAt: '2027-03-01T10:10:00Z' }, anna);
  const waits = rails.wait('partner-b', 'shop-fr', new AbortController().signal);
  log.isAway = true;
  clock.ms += 599_999;
  await controls.poll();
  expect(rails.enter('partner-b', 'shop-fr')).toBeUndefined();
  clock.ms += 1;
  await controls.poll();
  await waits;
  expect(rails.enter('partner-b', 'shop-fr')).toBeDefined();
});

it('time of a stop does not count towards the limits of retries, also once it was lifted, and none twice', async () => {
  const { clock, instance } = installation();
  const { controls, rails } = await instance('a');
  await controls.set(RAIL, { reason }, anna);
  clock.ms += 20_000;
  await controls.set('merchant:shop-fr', { reason }, anna);
  clock.ms += 10_000;
  await controls.lift(RAIL, anna);
  expect([rails.blockedMs('partner-b', 'shop-fr', START), rails.blockedMs('partner-b', 'shop-es', START)]).toEqual([
    30_000, 30_000,
  ]);
  clock.ms += 5_000;
  expect(rails.blockedMs('partner-b', 'shop-fr', START)).toBe(35_000);
  expect(rails.blockedMs('partner-b', 'shop-es', START + 25_000)).toBe(5_000);
  expect(rails.blockedMs('card', 'shop-es', START)).toBe(0);
});

it('it is acknowledged once each instance of the group has it; one that is gone counts no more', async () => {
  const { instance } = installation();
  const [first, second] = [await instance('a'), await instance('b')];
  const instances = async () => (await first.controls.list(anna)).map((one) => [one.acknowledged, one.instances])[0];
  expect(await first.controls.set(RAIL, { reason }, anna)).toMatchObject({ acknowledged: false });
  expect(second.rails.enter('partner-b', 'shop-fr')).toBeDefined();
  expect(await instances()).toEqual([false, { acknowledged: 1, of: 2 }]);
  await second.controls.poll();
  expect(second.rails.enter('partner-b', 'shop-fr')).toBeUndefined();
  expect(await instances()).toEqual([true, { acknowledged: 2, of: 2 }]);
  // Changed: who has it not read again has an older one.
  await first.controls.set(RAIL, { reason, expiresAt: '2027-03-01T11:00:00Z' }, anna);
  expect(await instances()).toEqual([false, { acknowledged: 1, of: 2 }]);
  second.leave();
  await first.controls.poll();
  expect(await instances()).toEqual([true, { acknowledged: 1, of: 1 }]);
});

it('a restarted instance has it before it takes a command, and what it said before is deleted', async () => {
  const { log, instance } = installation();
  const old = await instance('a');
  await old.controls.set(RAIL, { reason }, anna);
  await old.controls.poll();
  old.leave();
  const restarted = await instance('b');
  expect(restarted.rails.enter('partner-b', 'shop-fr')).toBeUndefined();
  await restarted.controls.poll();
  expect(log.records.filter(({ key }) => key === 'seen/a').map(({ value }) => value?.toString() ?? null)).toEqual([
    '0',
    null,
  ]);
  const written = log.records.length;
  await restarted.controls.poll();
  expect(log.records).toHaveLength(written);
});

it('a change keeps since, and names who changed it', async () => {
  const { clock, instance } = installation();
  const { controls } = await instance('a');
  await controls.set(RAIL, { reason }, anna);
  clock.ms += 60_000;
  await controls.set(RAIL, { reason: 'until they call', expiresAt: '2027-03-01T13:00:00+01:00' }, { ...anna, person: 'eve' }); // prettier-ignore
  expect(await controls.list(anna)).toMatchObject([
    { by: 'eve', reason: 'until they call', since: '2027-03-01T10:00:00.000Z', expiresAt: '2027-03-01T12:00:00.000Z' },
  ]);
});

it('who has some merchants may stop those only, and sees those and the rails', async () => {
  const { controls } = await installation().instance('a');
  for (const scope of [RAIL, 'merchant:shop-es']) {
    expect(await codeOf(controls.set(scope, { reason }, ofShop))).toBe('merchant_not_allowed');
    await controls.set(scope, { reason }, anna);
    expect(await codeOf(controls.lift(scope, ofShop))).toBe('merchant_not_allowed');
  }
  await controls.set('merchant:shop-fr', { reason }, ofShop);
  expect((await controls.list(ofShop)).map(({ scope }) => scope)).toEqual([RAIL, 'merchant:shop-fr']);
});

it.each([
  ['rail:cash', undefined, 'scope_unknown'],
  ['merchant:nobody', undefined, 'scope_unknown'],
  ['partner-b', undefined, 'scope_unknown'],
  [RAIL, '2027-03-01T10:00:00Z', 'invalid_request'],
  [RAIL, '2027-03-02', 'invalid_request'],
])('%s until %s is refused: %s', async (scope, expiresAt, code) => {
  const { log, instance } = installation();
  const { controls } = await instance('a');
  expect(await codeOf(controls.set(scope, { reason, ...(expiresAt !== undefined && { expiresAt }) }, anna))).toBe(code);
  expect(log.records).toEqual([]);
});

it('nothing to lift is told, and so is a change of which nobody knows if it was written', async () => {
  const { log, instance } = installation();
  const { controls, rails } = await instance('a');
  expect(await codeOf(controls.lift(RAIL, anna))).toBe('control_unknown');
  await controls.set(RAIL, { reason }, anna);
  log.isAway = true;
  expect(await codeOf(controls.list(anna))).toBe('unavailable');
  await controls.poll();
  expect(rails.enter('partner-b', 'shop-fr')).toBeUndefined();
});

it('a record that is none changes nothing', async () => {
  const { log, instance } = installation();
  const { controls } = await instance('a');
  await controls.set(RAIL, { reason }, anna);
  const [{ value, headers }] = log.records as unknown as [{ value: Buffer; headers: Record<string, string> }];
  log.records.push(
    { key: RAIL, value: Buffer.from('{'), headers },
    { key: 'rail:card', value, headers },
    { key: 'seen/b', value: Buffer.from('many') },
    { key: null, value: null },
  );
  expect((await controls.list(anna)).map(({ scope }) => scope)).toEqual([RAIL]);
});
