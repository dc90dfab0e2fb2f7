import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '@tranche/testing';
import { ask } from '../../ask.js';
import type { Scenario } from '../scenario.js';
import type { Stage } from '../stage.js';
import type { LedgerOfPlatform } from '../traces.js';

const headers = { authorization: 'Bearer demo-operator-key-not-a-real-one-at-all' };
const CAPTURES = 3;
const NOTIFIED_AFTER_MS = 6_000;

/** Captures end in doubt. An operator looks them up at the platform and reports the result; the notification comes only then. */
export const operatorScenario: Scenario = {
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
