import { settled, type Scenario } from '../scenario.js';

/** Fault rules of the simulator (its README), a few per scenario; the first one that matches applies. */
const RULES: Record<string, readonly object[]> = {
  'answers-lost': [{ executeThenReset: true }, { timeout: 'after' }, { status5xx: { when: 'after', status: 502 } }],
  'nothing-done': [
    { dropBefore: true },
    { timeout: 'before' },
    { status5xx: { when: 'before', status: 503 } },
    { status4xx: { when: 'before', status: 429 } },
    { status3xx: { when: 'before', status: 302 } },
  ],
  'answers-garbled': [
    { garbage: 'after' },
    { garbage: 'before' },
    { truncate: true },
    { emptyAnswer: 'after' },
    { slowDrip: 3_000 },
    { wrongOperationType: true },
  ],
  'not-now': ['2006', '2017', '3004', '5001', '5003'].map((execCode) => ({ execCode })),
  'own-troubles': ['5002', '5004', '5005'].map((execCode) => ({ execCode })),
  slow: [{ latencyMsUniform: [800, 2_200] }, { slowDrip: 1_000 }],
  'torn-requests': [{ resetWhileReading: true }, { unauthorized: true }],
};
const NOTIFICATIONS: Record<string, readonly object[]> = {
  doubled: [{ duplicate: true }],
  late: [{ lateMs: 2_500 }],
  'out-of-order': [{ outOfOrder: true }],
  none: [{ none: true }],
  forged: [{ forgedHash: 'also' }, { forgedHash: 'instead' }],
  'every-way': [{ mode: 'post' }, { mode: 'multipart' }, { mode: 'both' }],
};
/** Share of calls that get a fault, over all rules of a scenario. */
const SHARE = 0.45;

export const platformScenarios: readonly Scenario[] = [
  ...Object.entries(RULES).map(([name, faults]) => troubled(`platform-${name}`, `platform: ${name}`, faults)),
  ...Object.entries(NOTIFICATIONS).map(([name, kinds]) =>
    troubled(
      `notifications-${name}`,
      `notifications: ${name}`,
      kinds.map((notification) => ({ notification })),
    ),
  ),
  {
    name: 'notifications-before-the-answer',
    fault: 'notifications: before the answer',
    async run(stage, load) {
      await stage.proxies.platform.setConditions({ up: 'pass', down: { latencyMs: 700 }, connects: 'pass' });
      await stage.readyGateway();
      load.start();
      await settled(load);
      await stage.proxies.platform.set('pass');
      stage.faultEnded();
    },
  },
];

function troubled(name: string, fault: string, faults: readonly object[]): Scenario {
  return {
    name,
    fault,
    async run(stage, load) {
      for (const [at, rule] of faults.entries())
        await stage.fault(rule, {
          probability: SHARE / (faults.length - at * SHARE),
          seed: 1 + stage.random.below(1_000_000),
          // The simulator does not read the body, so it does not know the order.
          ...('resetWhileReading' in rule ? { orderPrefix: undefined } : {}),
        });
      await stage.readyGateway();
      load.start();
      await settled(load);
      await stage.noFaults();
      stage.faultEnded();
    },
  };
}
