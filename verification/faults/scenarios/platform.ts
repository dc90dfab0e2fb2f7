import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { repositoryRoot, waitFor } from '@tranche/testing';
import { ask } from '../../ask.js';
import type { Scenario } from '../scenario.js';
import type { Stage } from '../stage.js';
import type { LedgerOfPlatform } from '../traces.js';

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

const beforeTheAnswer: Scenario = {
  name: 'notifications-before-the-answer',
  fault: 'notifications: before the answer',
  async run(stage, load) {
    await stage.proxies.platform.setConditions({ up: 'pass', down: { latencyMs: 700 }, connects: 'pass' });
    await stage.readyGateway();
    load.start();
    await load.allTold();
    await stage.proxies.platform.set('pass');
    stage.faultEnded();
  },
};

const headers = { authorization: 'Bearer demo-operator-key-not-a-real-one-at-all' };
const CAPTURES = 3;
const NOTIFIED_AFTER_MS = 6_000;

/** Captures end in doubt. An operator looks them up at the platform and reports the result; the notification comes only then. */
const afterAnOperator: Scenario = {
  name: 'notifications-after-an-operators-word',
  fault: 'notifications: after an operator’s word',
  async run(stage, load) {
    const late = { executeThenReset: true, notification: { lateMs: NOTIFIED_AFTER_MS } };
    await stage.fault(late, { operation: 'capture', times: CAPTURES });
    const gateway = await stage.readyGateway();
    load.start();
    const said = new Set<string>();
    const deadlineMs = Date.now() + 15_000;
    while (said.size < CAPTURES && Date.now() < deadlineMs) {
      await delay(200);
      const { operations } = await doubtsOf(gateway.managementUrl);
      for (const doubt of operations.filter(({ id, operation }) => operation === 'capture' && !said.has(id))) {
        said.add(doubt.id);
        // A notification may have been faster: then the gateway refuses.
        const url = `${gateway.managementUrl}/v1/operations/${doubt.id}/resolve`;
        await ask(url, { headers, body: await truth(stage, doubt) }).catch(() => undefined);
      }
    }
    stage.faultEnded();
  },
};

interface Doubt {
  id: string;
  orderId: string;
  operation: string;
}

async function truth({ simulator }: Stage, { orderId }: Doubt): Promise<object> {
  const address = `${simulator.url}/simulator/ledger?orderId=${encodeURIComponent(orderId)}`;
  const { operations } = await ask<LedgerOfPlatform>(address);
  const captured = operations.find(({ operationType }) => operationType === 'capture');
  const { transactionId, finalExecCode } = captured ?? {};
  const outcome = finalExecCode === '0000' ? 'succeeded' : 'refused';
  return { outcome, reason: 'The back office shows it', transactionId, execCode: finalExecCode };
}

/** A gateway answers 503 until its index is built. */
function doubtsOf(managementUrl: string): Promise<{ operations: Doubt[] }> {
  return waitFor(() => ask<{ operations: Doubt[] }>(`${managementUrl}/v1/operations?state=in_doubt`, { headers }), {
    what: 'the doubts',
  });
}

/**
 * notification-ingest has a wrong key, so it refuses everything and puts it into quarantine. With the right key, the quarantined
 * notifications are verified again, and the platform's retries are accepted.
 */
const wrongKey: Scenario = {
  name: 'wrong-key-then-corrected',
  fault: 'wrong key, then corrected',
  weight: 2,
  async run(stage, load) {
    await stage.ingest?.stop();
    await stage.ready(
      await stage.startIngest({
        env: { MERCHANTS_FILE: stage.surroundings.merchantsFileWith({ notificationKey: 'not-the-key' }) },
      }),
    );
    await stage.readyGateway();
    load.start();
    await delay(4_000);
    await stage.ingest?.stop();
    await stage.ready(await stage.startIngest());
    await reverify(stage);
    stage.faultEnded();
  },
};

async function reverify(stage: Stage): Promise<void> {
  const main = join(repositoryRoot(), 'apps/notification-ingest/dist/quarantine/main.js');
  const env = { ...process.env, ...stage.surroundings.ingest() };
  await promisify(execFile)(process.execPath, [main, 'reverify'], { env, cwd: repositoryRoot(), timeout: 60_000 });
}

export const platformScenarios: readonly Scenario[] = [
  ...Object.entries(RULES).map(([name, faults]) => troubled(`platform-${name}`, `platform: ${name}`, faults)),
  ...Object.entries(NOTIFICATIONS).map(([name, kinds]) =>
    troubled(
      `notifications-${name}`,
      `notifications: ${name}`,
      kinds.map((notification) => ({ notification })),
    ),
  ),
  beforeTheAnswer,
  afterAnOperator,
  wrongKey,
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
      await load.allTold();
      await stage.noFaults();
      stage.faultEnded();
    },
  };
}
