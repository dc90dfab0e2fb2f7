import { aPartnerAAuthorization } from '@tranche/testing';
import { joinGatewayStage, type GatewayStack } from './gateway-stack.js';

const MIB = 1024 * 1024;

let stack: GatewayStack;
beforeAll(async () => (stack = await joinGatewayStage()));
afterAll(() => stack.stop());

async function ordered(orderId: string, pageBytes: number) {
  await stack.fault({ match: { orderPrefix: orderId }, fault: { pageBytes } });
  const command = aPartnerAAuthorization({ orderId });
  const id = crypto.randomUUID();
  const send = () => stack.send('payment.authorize', command, id);
  await send();
  const { data } = await stack.event(orderId, 'payment.authorize.redirect_required');
  return { data, send };
}

it('a page of 8 MiB of HTML reaches the shop whole, and once more where the command comes again', async () => {
  const { data, send } = await ordered('large-page-whole', 8 * MIB);
  const page = Buffer.from(data.redirectHtml ?? '', 'base64').toString();
  expect([page.length > 8 * MIB, page.startsWith('<form'), page.endsWith('-->')]).toEqual([true, true, true]);
  expect(data).not.toHaveProperty('redirectHtmlDropped');
  await send();
  const again = await stack.event('large-page-whole', 'payment.authorize.redirect_required', 2);
  expect(again.data.redirectHtml === data.redirectHtml).toBe(true);
});

it('a page that no record can carry is left out: the event says so, and the result is published all the same', async () => {
  const { data } = await ordered('large-page-left-out', 10 * MIB);
  expect(data).toMatchObject({ redirectHtmlDropped: true, execCode: '0002' });
  expect(data).not.toHaveProperty('redirectHtml');
});
