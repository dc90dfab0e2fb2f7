import type { BrowserStack } from './browser-stack.js';
import { enterShop } from './shopper.js';

/** Pays in instalments through the provider's form. Resolves to what the platform executed. */
export async function paidThroughForm(stack: BrowserStack, method: string): Promise<string[]> {
  const shopper = await enterShop(stack);
  await shopper.payIn(method);
  await shopper.decide('validate');
  await shopper.until('succeeded');
  const executed = await stack.executed(await shopper.orderId());
  await shopper.leave();
  return executed;
}

/** The provider puts the order on hold and approves it later. Resolves to what the platform executed. */
export async function heldThenApproved(stack: BrowserStack, method: string): Promise<string[]> {
  const shopper = await enterShop(stack);
  await shopper.payIn(method);
  await shopper.decide('pending');
  await shopper.until('pending');
  const orderId = await shopper.orderId();
  await stack.approve(orderId);
  await shopper.until('succeeded'); // by itself, without a reload
  const executed = await stack.executed(orderId);
  await shopper.leave();
  return executed;
}
