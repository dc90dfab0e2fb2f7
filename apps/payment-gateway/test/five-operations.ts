import * as zlib from 'node:zlib';
import { COMMAND_TOPICS, encodeCloudEvent, orderKey, type CommandData, type CommandType } from '@tranche/contracts';
import { JOURNAL_PARTITIONS, journalPartition } from '@tranche/order-journal';
import { aCapture, aCommand, aPartnerBAuthorization, aRefund, type RunningApp } from '@tranche/testing';
import type { GatewayStack } from './gateway-stack.js';

const REFUNDED = [1_000, 2_000, 3_000];
const { amount } = aPartnerBAuthorization();

interface EncodedCommand {
  readonly topic: string;
  readonly key: string;
  readonly value: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** Partition of a key by librdkafka's default partitioner, `consistent_random`. */
export const partitionByCrc32 = (key: string): number => zlib.crc32(key) % JOURNAL_PARTITIONS;

/** True where that partitioner puts an order's commands on another partition than its journal's. */
export const isMisplaced = (key: string): boolean => partitionByCrc32(key) !== journalPartition(key);

/** Commands on another partition than their orders' that these gateways have published to it, of one merchant. */
export async function forwardedBy(merchant: string, gateways: readonly RunningApp[]): Promise<number> {
  const sample = new RegExp(`^tranche_commands_forwarded_total{[^}]*merchant="${merchant}"[^}]*} (\\d+)$`, 'm');
  const counts = gateways.map(async ({ managementUrl }) => {
    const metrics = await (await fetch(`${managementUrl}/metrics`)).text();
    return Number(sample.exec(metrics)?.[1] ?? 0);
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

/** Authorization, capture and three refunds of each order, each order's in the order in which they are valid. */
export function fiveOperationsOf(prefix: string, merchant: string, orderIds: readonly string[]): EncodedCommand[] {
  const encoded = (type: CommandType, data: CommandData): EncodedCommand => ({
    topic: prefix + COMMAND_TOPICS['partner-b'].name,
    key: orderKey(data.merchant, data.orderId),
    ...encodeCloudEvent(aCommand(type, data)),
  });
  const steps = [
    (orderId: string) => encoded('payment.authorize', aPartnerBAuthorization({ merchant, orderId })),
    (orderId: string) => encoded('payment.capture', aCapture({ merchant, orderId, amount })),
    ...REFUNDED.map(
      (part) => (orderId: string) => encoded('payment.refund', aRefund({ merchant, orderId, amount: part })),
    ),
  ];
  return steps.flatMap((step) => orderIds.map(step));
}

/** Lets the platform answer these authorizations with a success at once, so that no cardholder is awaited. */
export const validateAtOnce = (stack: GatewayStack, orderPrefix: string): Promise<void> =>
  stack.fault({ match: { orderPrefix, operation: 'authorization' }, fault: { withoutForm: '0000' } });

/** Checks that each order's five operations were executed once, in their order, and that its events say the same. */
export async function expectFiveInOrder(stack: GatewayStack, orderIds: readonly string[]): Promise<void> {
  const expected = [['authorization', amount], ['capture', amount], ...REFUNDED.map((part) => ['refund', part])];
  const events = ['authorize', 'capture', 'refund', 'refund', 'refund'].map((name) => `payment.${name}.succeeded`);
  for (const orderId of orderIds) {
    await stack.event(orderId, 'payment.refund.succeeded', REFUNDED.length);
    const { calls, operations } = await stack.ledgerOf(orderId);
    expect([orderId, operations.map((one) => [one.operationType, one.amount])]).toEqual([orderId, expected]);
    expect(calls).toHaveLength(expected.length);
    expect([orderId, stack.typesOf(orderId)]).toEqual([orderId, events]);
  }
}
