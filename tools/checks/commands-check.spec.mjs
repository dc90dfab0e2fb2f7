import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { COMMAND_TOPICS, encodeCloudEvent, readMerchants, SIGNATURE_HEADER, signCommand } from '@tranche/contracts';
import { emptyOrder } from '@tranche/order-journal';
import { aCapture, aCardPayment, aPartnerAAuthorization, aPartnerBAuthorization, aVoid } from '@tranche/testing';
import { checkCommandGiven } from '../../apps/cli/src/commands/check-command.js';
import { givenCommands } from '../../apps/cli/src/commands/given-commands.js';
import { readCommand } from '../../apps/payment-gateway/src/command/accepted-command.js';
import { prepareAttempt } from '../../apps/payment-gateway/src/command/payment-executor.service.js';
import { commandConsumer } from '../../apps/payment-gateway/test/command-consumer.js';

const NOW_MS = Date.parse('2027-03-01T10:00:05Z');
const [own, other] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')];
const publisherKeys = [{ kid: 'k1', publicKey: own.publicKey.export({ format: 'jwk' }).x }];
const merchants = [
  { merchant: 'shop-fr', identifier: 'A', accountKey: 'a-key-of-the-account' },
  { merchant: 'shop-all', identifier: 'B', accountKey: 'another-account-key', requirements: 'all' },
  { merchant: 'shop-keys', identifier: 'C', accountKey: 'a-third-account-key', publisherKeys },
  {
    ...{ merchant: 'shop-signed', identifier: 'D', accountKey: 'a-fourth-account-key' },
    ...{ publisherKeys, requireSignatures: true },
  },
];
const environmentId = 'test';
const environment = {
  prefix: '',
  merchants: readMerchants(merchants, () => '').merchants,
  environmentId,
  nowMs: NOW_MS,
};
const RAIL_OF = Object.fromEntries(Object.entries(COMMAND_TOPICS).map(([rail, { name }]) => [name, rail]));

const VALID = [
  ['payment.authorize', 'partner-a', aPartnerAAuthorization],
  ['payment.authorize', 'partner-b', aPartnerBAuthorization],
  ['payment.pay', 'card', aCardPayment],
  ['payment.capture', 'partner-b', aCapture],
  ['payment.void', 'partner-a', aVoid],
];
const mostly = (usual, ...rare) =>
  fc.oneof({ weight: 8, arbitrary: fc.constant(usual) }, ...rare.map((one) => ({ weight: 1, arbitrary: fc.constant(one) }))); // prettier-ignore

/** A command with up to three changes, and how it is sent. */
const commands = fc.record({
  valid: fc.constantFrom(...VALID),
  merchant: fc.oneof(fc.constantFrom(...merchants.map(({ merchant }) => merchant)), mostly('shop-fr', 'shop-it', 'No Shop')),
  changes: fc.array(
    fc.tuple(
      fc.constantFrom('amount', 'paymentOption', 'currency', 'notAfter', 'extraData', 'cart', 'billing', 'colour', 'orderId', 'hfToken', 'tokenizedAt'),
      fc.constantFrom(undefined, null, -1, 100, 30000, 'x', 'CHF', 'EUR', '2027-03-01T09:00:00Z', '2028-01-01T00:00:00Z', 'partnerB-3x', 'x\u200b', ' ', '4970 1000 0000 0055', {}, []),
    ),
    { maxLength: 3 },
  ).map((list) => (list.length > 2 ? list : list.slice(0, 1))),
  topic: mostly(undefined, ...Object.keys(RAIL_OF), 'payments.commands.cash.v1'),
  type: mostly(undefined, 'payment.refund', 'payment.cancel'),
  time: mostly('2027-03-01T10:00:00Z', '2027-03-01T09:30:00Z', '2027-02-01T10:00:00Z', '2027-03-01T11:00:00Z', 'noon'),
  key: mostly(undefined, null, 'order-1', 'shop-es/order-1'),
  header: mostly(undefined, ['ce_id', undefined], ['ce_specversion', '0.3'], ['content-type', 'text/plain'], ['ce_more', 'x']),
  repeated: mostly(undefined, 'ce_id', 'x-trace'),
  value: mostly(undefined, '', 'no JSON', '[1]', '{"merchant":"shop-fr","orderId":"order-1","\\u006frderId":"order-1"}', '{"orderId":"order-1"}'),
  structured: mostly(false, true),
  signature: fc.constantFrom('own', 'own', 'none', 'other', 'elsewhere', 'malformed'),
}); // prettier-ignore

/** The record as a gateway gets it. */
function recordOf({ valid: [type, rail, build], merchant, changes, ...given }) {
  const data = Object.assign(build({ merchant }), Object.fromEntries(changes));
  const event = { id: 'c1', source: '/shop', type: given.type ?? type, time: given.time, data: JSON.parse(JSON.stringify(data)) };
  const topic = given.topic ?? COMMAND_TOPICS[rail].name;
  const key = given.key === undefined ? `${merchant}/${data.orderId}` : given.key;
  const binary = encodeCloudEvent(event);
  const headers = given.structured ? { 'content-type': 'application/cloudevents+json' } : { ...binary.headers };
  if (given.header !== undefined) headers[given.header[0]] = given.header[1];
  if (headers.ce_id === undefined) delete headers.ce_id;
  const text = given.value ?? (given.structured ? JSON.stringify({ specversion: '1.0', ...event }) : binary.value.toString());
  const command = { topic, key, headers, value: Buffer.from(text) };
  const sign = (pair, environment) => signCommand(command, { kid: 'k1', privateKey: pair.privateKey, environmentId: environment });
  const signature = {
    ...{ none: undefined, malformed: 'x' },
    ...{ own: sign(own, environmentId), other: sign(other, environmentId), elsewhere: sign(own, 'staging') },
  }[given.signature];
  if (signature !== undefined) headers[SIGNATURE_HEADER] = signature;
  const repeatedHeaders = given.repeated !== undefined && given.repeated in headers ? [given.repeated] : [];
  return { ...command, repeatedHeaders, partition: 0, offset: 1n, rawKey: key && Buffer.from(key), timestampMs: NOW_MS };
} // prettier-ignore

/** As kcat prints it. */
function kcatLine({ topic, key, headers, value, repeatedHeaders, timestampMs }) {
  const list = [...Object.entries(headers), ...repeatedHeaders.map((name) => [name, 'again'])].flat();
  return JSON.stringify({ topic, key, headers: list, payload: value.toString(), ts: timestampMs });
}

const named = (faults) => faults.map(({ path, code }) => `${path} ${code}`).sort();

const consumer = commandConsumer({ merchants, environmentId, nowMs: NOW_MS });

/** The end that payment-gateway gives the record: its consumer, and the rules before the call on an order without operations. */
async function byGateway(record) {
  const { executed, published } = consumer;
  executed.length = published.length = 0;
  try {
    await consumer.take(record);
  } catch ({ code, message }) {
    return { verdict: code === 'unknown_topic' ? 'not_read' : code, message };
  }
  if (published.length > 0) return { verdict: 'rejected', faults: named(published[0].data.faults) };
  expect(executed).toEqual(['c1']);
  const { command } = readCommand(record, RAIL_OF[record.topic], environment.merchants);
  const prepared = prepareAttempt(command, emptyOrder(command.merchant.merchant, command.orderId), 1, NOW_MS);
  const isRefused = 'faults' in prepared && !prepared.restsOnOrder;
  return isRefused ? { verdict: 'rejected' } : { verdict: 'accepted' };
}

it('`tranche commands check` accepts what the gateway accepts, and refuses what it refuses, for the same faults', async () => {
  const seen = {};
  await fc.assert(
    fc.asyncProperty(commands, async (given) => {
      const record = recordOf(given);
      const [one] = givenCommands(kcatLine(record));
      const checked = await checkCommandGiven(one, environment);
      const gateway = await byGateway(record);
      expect(checked.verdict).toBe(gateway.verdict);
      if (gateway.faults !== undefined) expect(named(checked.faults)).toEqual(gateway.faults);
      if (checked.verdict === 'unreadable')
        for (const { code, message } of checked.faults) if (code !== 'signature_refused') expect(gateway.message).toContain(message);
      seen[checked.verdict] = (seen[checked.verdict] ?? 0) + 1;
    }),
    { numRuns: process.env.NIGHTLY ? 5_000 : 800 },
  ); // prettier-ignore
  // Guards against a comparison of commands that all end the same.
  for (const verdict of ['accepted', 'rejected', 'unreadable', 'signature_refused', 'not_read'])
    expect([verdict, seen[verdict] > 20]).toEqual([verdict, true]);
}, 120_000);
