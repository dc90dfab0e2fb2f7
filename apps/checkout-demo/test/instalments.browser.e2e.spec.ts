import { joinBrowserStack, type BrowserStack } from './browser-stack.js';
import { heldThenApproved, paidThroughForm } from './instalments.js';

let stack: BrowserStack;
beforeAll(async () => (stack = await joinBrowserStack()), 180_000);
afterAll(() => stack?.stop());

it.each(['a3', 'b3'])(
  '%s is paid through the form of the provider and back, and the events say that it was',
  async (method) => expect(await paidThroughForm(stack, method)).toEqual(['authorization 0000']),
);

it.each(['b3'])(
  '%s that the provider puts on hold is pending, and succeeds when the provider approves it',
  async (method) => expect(await heldThenApproved(stack, method)).toEqual(['authorization 0000']),
);
