import { CRASH_POINTS } from './failpoints/failpoints.js';
import { reportOf, tableOf, type Run, type Verdict } from './report.js';

const verdict = (overrides: Partial<Verdict> = {}): Verdict => ({
  ...{ violations: [], operations: 5, inDoubt: 2, resolved: 1, falseDoubt: 1, publishedTwice: 3 },
  ...overrides,
});
const run = (overrides: Partial<Run> = {}): Run => ({
  ...{ scenario: 'kill-gateway', fault: 'sigkill', seed: 7, commands: 10, kills: 1, verdict: verdict() },
  ...overrides,
});

it('adds the runs up', () => {
  const runs = [
    run({ crashPoint: 'granted', recoverySeconds: 3.456 }),
    run({ crashPoint: 'granted', recoverySeconds: 1 }),
    run({ fault: 'redis-flushed', kills: 0, recoverySeconds: 20, pauseSeconds: 7 }),
    run({ crashPoint: 'of-another-time' }),
  ];
  expect(reportOf(runs, 42)).toEqual({
    runs: 4,
    commands: 40,
    kills: 3,
    crashPoints: { covered: 1, of: CRASH_POINTS.length },
    faults: { 'redis-flushed': 1, sigkill: 3 },
    executedTwice: 0,
    lost: 0,
    wrongOutcome: 0,
    outOfOrder: 0,
    notificationsLost: 0,
    inDoubt: 8,
    resolved: 4,
    falseDoubt: 4,
    recoverySeconds: { p50: 3.46, max: 20 },
    guardBroken: 0,
    eventsBroken: 0,
    secretsLeft: 0,
    publishedTwice: 12,
    operations: 20,
    pauses: { 'kill-gateway': 7 },
    seed: 42,
  });
});

it('counts each violation by its kind', () => {
  const violations = (['lost', 'lost', 'eventsBroken'] as const).map((kind) => ({ kind, detail: kind }));
  const report = reportOf([run(), run({ verdict: verdict({ violations }) })], 42);
  expect(report).toMatchObject({ lost: 2, eventsBroken: 1, executedTwice: 0 });
});

it('says 0 where nothing ever stood still, and where there was no run', () => {
  expect(reportOf([run()], 42).recoverySeconds).toEqual({ p50: 0, max: 0 });
  expect(reportOf([], 42)).toMatchObject({ runs: 0, crashPoints: { covered: 0, of: CRASH_POINTS.length }, faults: {} });
});

it('tells people how a violation is repeated', () => {
  const runs = [
    run({ seed: 99, verdict: verdict({ violations: [{ kind: 'lost', detail: 'command c1 came to nothing' }] }) }),
  ];
  const table = tableOf(reportOf(runs, 42), runs);
  expect(table).toContain('lost in kill-gateway: command c1 came to nothing');
  expect(table).toContain('npm run faults -- --only kill-gateway --runs 1 --seed 99');
  expect(table).toMatch(/crashPoints +covered 0, of 14/);
});
