import { COMMAND_TOPICS, encodeCloudEvent, SIGNATURE_HEADER, signCommand } from '@tranche/contracts';
import { aCommand, aPartnerAAuthorization, aRefund, publisherOfTests } from '@tranche/testing';
import { deadLettersOf } from './dead-letters.js';
import { joinGatewayStage, type GatewayStack } from './gateway-stack.js';

/** A merchant whose commands must be signed. */
const merchant = 'shop-signed';
const topic = COMMAND_TOPICS['partner-a'].name;

let stack: GatewayStack;
beforeAll(async () => (stack = await joinGatewayStage()));
afterAll(() => stack.stop());

const authorization = (orderId: string, id: string) =>
  encodeCloudEvent(aCommand('payment.authorize', aPartnerAAuthorization({ merchant, orderId }), { id }));
const refund = (orderId: string) => encodeCloudEvent(aCommand('payment.refund', aRefund({ merchant, orderId })));

type Encoded = ReturnType<typeof encodeCloudEvent>;

async function sendSigned(orderId: string, encoded: Encoded, environmentId = 'tests'): Promise<void> {
  const key = `${merchant}/${orderId}`;
  const by = { ...publisherOfTests(), environmentId };
  const signature = signCommand({ topic: stack.prefix + topic, key, ...encoded }, by);
  await stack.sendRecord(topic, key, encoded.value, { ...encoded.headers, [SIGNATURE_HEADER]: signature });
}

const sendUnsigned = (orderId: string, { value, headers }: Encoded) =>
  stack.sendRecord(topic, `${merchant}/${orderId}`, value, headers);

it('is a dead letter without its content, of which no event tells; a known one gets its result', async () => {
  await sendSigned('signed', authorization('signed', 'command-1'));
  const first = await stack.event('signed', 'payment.authorize.redirect_required');
  await sendUnsigned('signed', authorization('signed', 'command-1'));
  const again = await stack.event('signed', 'payment.authorize.redirect_required', 2);
  expect(again.id).toBe(first.id);

  await sendUnsigned('signed', authorization('signed', 'command-2'));
  await sendUnsigned('unsigned', authorization('unsigned', 'command-3'));
  await sendSigned('elsewhere', authorization('elsewhere', 'command-4'), 'staging');
  const keys = ['signed', 'unsigned', 'elsewhere'].map((orderId) => `${merchant}/${orderId}`);
  const letters = await deadLettersOf(stack, keys, 3);
  expect(letters).toHaveLength(3);
  for (const { value, headers } of letters) {
    expect(value).toBeNull();
    expect(headers['dead-letter-code']).toBe('signature_refused');
  }
  // Signed and with the same keys, so each is handled after the first command. Its rejection shows that nothing was captured.
  for (const orderId of ['signed', 'unsigned', 'elsewhere']) {
    await sendSigned(orderId, refund(orderId));
    await stack.event(orderId, 'payment.refund.rejected');
  }
  expect(stack.typesOf('unsigned')).toEqual(['payment.refund.rejected']);
  expect(stack.typesOf('signed')).not.toContain('payment.command.rejected');
  expect(stack.typesOf('elsewhere')).toEqual(['payment.refund.rejected']);
  expect((await stack.ledgerOf('unsigned')).calls).toEqual([]);
  expect((await stack.ledgerOf('elsewhere')).calls).toEqual([]);
  expect((await stack.ledgerOf('signed')).calls).toHaveLength(1);
}, 120_000);
