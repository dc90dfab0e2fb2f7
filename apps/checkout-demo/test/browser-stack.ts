import { sharedBrowser, waitFor, type RunningApp, type ShopWorld, type TestBrowser } from '@tranche/testing';
import { joinShopStage, startShopStack, type ShopStack } from './shop-stack.js';

interface Ledger {
  operations: { operationType: string; transactionId: string; finalExecCode: string }[];
}

export type BrowserStack = ShopStack & { browser: TestBrowser } & ReturnType<typeof simulatorAt>;

/** Joins the browser and the shop that all specs of a run share. Each visit has its own browser profile. */
export const joinBrowserStack = (): Promise<BrowserStack> => browserStack(joinShopStage());

export const startBrowserStack = (world?: ShopWorld): Promise<BrowserStack> => browserStack(startShopStack(world));

async function browserStack(starting: Promise<ShopStack>): Promise<BrowserStack> {
  const [stack, browser] = await Promise.all([starting, sharedBrowser()]);
  const stop = async () => void (await Promise.all([browser.close(), stack.stop()]));
  return { ...stack, ...simulatorAt(stack.simulator), browser, stop };
}

function simulatorAt({ url }: RunningApp) {
  async function control(path: string, body: object): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}/simulator/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  }
  const operationsOf = async (orderId: string) =>
    ((await (await fetch(`${url}/simulator/ledger?orderId=${orderId}`)).json()) as Ledger).operations;
  return {
    /** Operations that the platform executed, for example `payment 0000`: the specs check every promise against them. */
    executed: async (orderId: string) =>
      (await operationsOf(orderId)).map(({ operationType, finalExecCode }) => `${operationType} ${finalExecCode}`),
    untilExecuted: (orderId: string, count: number) =>
      waitFor(async () => (await operationsOf(orderId)).length >= count, {
        what: `${count} executions of ${orderId}`,
      }),
    /** Rotates the encryption key of an API key that no other spec uses. */
    rotateKeys: (apiKeyId: string) => control('cse-keys/rotate', { apiKeyId }),
    /** Moves the simulator's clock. Only for a shop that no other spec shares. */
    travel: (minutes: number) => control('clock', { advanceSeconds: minutes * 60 }),
    answerLate: (orderId: string, latencyMs: number) =>
      control('faults', { match: { operation: 'payment', orderPrefix: orderId, times: 1 }, fault: { latencyMs } }),
    /** The provider approves an order that it had put on hold. */
    approve: async (orderId: string) => {
      const { transactionId } = (await operationsOf(orderId)).at(-1) ?? {};
      await control(`transactions/${transactionId}/decide`, { decision: 'approve' });
    },
  };
}
