import { randomUUID } from 'node:crypto';
import { aPartnerAAuthorization } from '@tranche/testing';
import type { GatewayStack } from './gateway-stack.js';

export interface Sent {
  orderId: string;
  commandId: string;
  /** Time of Kafka's acknowledgement. Milliseconds since the epoch. */
  sentMs: number;
}

export interface PacedLoad {
  /** Commands that Kafka has acknowledged so far. */
  readonly sent: Sent[];
  /** Stops sending. Resolves when all commands are acknowledged. */
  stop(): Promise<Sent[]>;
}

/** Sends authorizations of new orders, `perSecond`, until it is stopped. */
export function pacedLoad(stack: GatewayStack, perSecond: number): PacedLoad {
  const sent: Sent[] = [];
  const sending: Promise<void>[] = [];
  let failure: Error | undefined;
  const begun = performance.now();
  const send = async () => {
    const [orderId, commandId] = [`load-${sending.length}`, randomUUID()];
    await stack.send('payment.authorize', aPartnerAAuthorization({ orderId }), commandId);
    sent.push({ orderId, commandId, sentMs: Date.now() });
  };
  const timer = setInterval(() => {
    const due = ((performance.now() - begun) * perSecond) / 1000;
    while (sending.length < due) sending.push(send().catch(fail));
  }, 10);
  timer.unref(); // a spec that failed stops nothing
  const fail = (error: unknown) => {
    failure = error as Error;
    clearInterval(timer);
  };
  return {
    sent,
    async stop() {
      clearInterval(timer);
      await Promise.all(sending);
      if (failure) throw new Error('A command could not be sent', { cause: failure });
      return sent;
    },
  };
}

/** Longest time between two neighbours. Milliseconds. */
export function longestGapMs(timesMs: readonly number[]): number {
  const sorted = [...timesMs].sort((a, b) => a - b);
  return sorted.slice(1).reduce((longest, time, index) => Math.max(longest, time - (sorted[index] ?? time)), 0);
}

interface LedgerOfAll {
  calls: { time: string; orderId: string; executed: boolean }[];
}

/** Every call that the platform received: its time, its order, and if it was executed. */
export async function allCalls(stack: GatewayStack): Promise<{ orderId: string; executed: boolean; timeMs: number }[]> {
  const { calls } = (await (await fetch(`${stack.simulator.url}/simulator/ledger`)).json()) as LedgerOfAll;
  return calls.map(({ time, orderId, executed }) => ({ orderId, executed, timeMs: Date.parse(time) }));
}

/** Returns the values that occur more than once. */
export function repeatedIn(values: readonly string[]): string[] {
  const seen = new Set<string>();
  return values.filter((value) => seen.has(value) || !seen.add(value));
}
