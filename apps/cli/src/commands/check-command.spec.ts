import { generateKeyPairSync } from 'node:crypto';
import { COMMAND_TOPICS, encodeCloudEvent, readMerchants, SIGNATURE_HEADER, signCommand } from '@tranche/contracts';
import { partitionForKey } from '@tranche/runtime';
import { aCapture, aCardPayment, aCommand, aPartnerAAuthorization, aPartnerBAuthorization } from '@tranche/testing';
import { SIGNATURE_ADVICE } from './advice.js';
import { checkCommandGiven, type Environment } from './check-command.js';
import { checkText } from './check-text.js';
import { givenCommands } from './given-commands.js';

const NOW_MS = Date.parse('2027-03-01T10:00:05Z');
const time = '2027-03-01T10:00:00Z';
const [own, other] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')];
const publicKeyOf = ({ publicKey }: typeof own) => publicKey.export({ format: 'jwk' }).x;
const publisherKeys = [
  { kid: 'k1', publicKey: publicKeyOf(own) },
  { kid: 'ended', publicKey: publicKeyOf(own), notAfter: '2027-01-01T00:00:00Z' },
  { kid: 'revoked', publicKey: publicKeyOf(own), revokedAt: '2020-01-01T00:00:00Z' },
];
const shops = [
  { merchant: 'shop-fr', identifier: 'A', accountKey: 'a-key-of-the-account' },
  { merchant: 'shop-signed', identifier: 'B', accountKey: 'another-key-of-it', publisherKeys, requireSignatures: true },
];
const read = readMerchants(shops, () => '');
if ('faults' in read) throw new Error(JSON.stringify(read.faults));
const environment: Environment = { prefix: 'test.', merchants: read.merchants, environmentId: 'test', nowMs: NOW_MS };
const topic = `test.${COMMAND_TOPICS['partner-a'].name}`;

const check = async (record: object, more: Partial<Environment> = {}) => {
  const [given] = givenCommands(JSON.stringify(record));
  return checkCommandGiven(given!, { ...environment, ...more });
};

interface Parts {
  data?: object;
  type?: string;
  headers?: Record<string, string>;
  without?: string[];
  record?: object;
}
/** An authorization of method A as a record, with changes. */
function aRecord({
  data = aPartnerAAuthorization(),
  type = 'payment.authorize',
  headers,
  without = [],
  record,
}: Parts = {}) {
  const encoded = encodeCloudEvent(
    aCommand(type as 'payment.pay', data as ReturnType<typeof aCardPayment>, { id: 'c1', time }),
  );
  const all = Object.entries({ ...encoded.headers, ...headers }).filter(([name]) => !without.includes(name));
  return { topic, headers: Object.fromEntries(all), value: encoded.value.toString(), ...record };
}
const signedShop = aPartnerAAuthorization({ merchant: 'shop-signed' });
/** As `aRecord`, signed; `as` says what the signature differs in. */
function aSigned(as: { kid?: string; by?: typeof own; topic?: string; environmentId?: string } = {}) {
  const { kid = 'k1', by = own, topic: signedTopic = topic, environmentId = 'test' } = as;
  const record = aRecord({ data: signedShop });
  const command = {
    topic: signedTopic,
    key: 'shop-signed/order-1',
    headers: record.headers,
    value: Buffer.from(record.value),
  };
  const signature = signCommand(command, { kid, privateKey: by.privateKey, environmentId });
  return { ...record, headers: { ...record.headers, [SIGNATURE_HEADER]: signature } };
}

it.each([
  ['a command without a signature, where none is demanded', aRecord(), 'not_needed'],
  ['a signed one', aSigned(), 'verified'],
  ['a CloudEvent in structured mode', { specversion: '1.0', id: 'c1', source: '/s', type: 'payment.authorize', time, data: aPartnerAAuthorization() }, 'not_needed'],
])('accepts %s', async (_what, record, signature) => {
  const checked = await check(record);
  expect(checked).toMatchObject({ verdict: 'accepted', id: 'c1', type: 'payment.authorize', topic, signature, faults: [], notes: [] });
  const { key } = checked;
  expect(checked.partition).toEqual({ number: partitionForKey(key!, 12), of: 12 });
}); // prettier-ignore

const B = aPartnerBAuthorization();
it.each<[string, object, string, string, string]>([
  ['a header of the envelope that is missing', aRecord({ without: ['ce_time'] }), 'rejected', 'ce_time', 'malformed_envelope'],
  ['a type that is no command', aRecord({ type: 'payment.cancel' }), 'rejected', 'ce_type', 'unknown_type'],
  ['a field that is missing', aRecord({ data: aPartnerAAuthorization({ amount: undefined }) }), 'rejected', 'amount', 'required'],
  ['an unknown field', aRecord({ data: { ...aPartnerAAuthorization(), colour: 'red' } }), 'rejected', 'colour', 'unknown_field'],
  ['a merchant that is not configured', aRecord({ data: aPartnerAAuthorization({ merchant: 'shop-it' }) }), 'rejected', 'merchant', 'unknown_merchant'],
  ['a rule of the merchant', aRecord({ data: aPartnerAAuthorization({ currency: 'CHF' }) }), 'rejected', 'currency', 'currency_not_of_merchant'],
  ['a wrong key', aRecord({ record: { key: 'order-1' } }), 'rejected', 'key', 'key_mismatch'],
  ['an option of another topic', aRecord({ data: B }), 'rejected', 'paymentOption', 'enum'],
  ['an operation of another topic', aRecord({ type: 'payment.pay', data: aCardPayment() }), 'rejected', 'type', 'method_not_on_rail'],
  ['a clock that is ahead', aRecord({ headers: { ce_time: '2027-03-01T11:00:00Z' } }), 'rejected', 'ce_time', 'time_ahead'],
  ['an old command', aRecord({ headers: { ce_time: '2027-02-01T10:00:00Z' } }), 'rejected', 'ce_time', 'command_too_old'],
  ['a notAfter that has passed', aRecord({ data: aPartnerAAuthorization({ notAfter: time }) }), 'rejected', 'notAfter', 'not_after_passed'],
  ['a value that is no JSON', aRecord({ record: { value: 'x' } }), 'unreadable', 'data', 'malformed_envelope'],
  ['a header that is there twice', aRecord({ record: { headers: Object.entries(aRecord().headers).concat([['ce_id', 'c2']]).flat() } }), 'unreadable', 'ce_id', 'duplicate'],
  ['a topic of another environment', aRecord({ record: { topic: COMMAND_TOPICS['partner-a'].name } }), 'not_read', 'topic', 'unknown_topic'],
  ['a follow-up without a topic', aRecord({ type: 'payment.capture', data: aCapture(), record: { topic: undefined } }), 'not_read', 'topic', 'required'],
  ['something that is no command', { order: 1 }, 'no_command', '', 'malformed_envelope'],
])('refuses %s, and says what to do', async (_what, record, verdict, path, code) => {
  const checked = await check(record);
  expect(checked.verdict).toBe(verdict);
  const fault = checked.faults.find((one) => one.path === path && one.code === code);
  expect(checked.faults).toContainEqual(fault);
  expect(fault!.next).toMatch(/\w{3}/);
}); // prettier-ignore

it.each<[keyof typeof SIGNATURE_ADVICE, object, string]>([
  ['missing', aRecord({ data: signedShop }), ''],
  ['malformed', aRecord({ data: signedShop, headers: { [SIGNATURE_HEADER]: 'x' } }), ''],
  ['unknown_key', aSigned({ kid: 'k9' }), ''],
  ['key_revoked', aSigned({ kid: 'revoked' }), ''],
  ['key_not_valid_then', aSigned({ kid: 'ended' }), ''],
  ['does_not_match', aSigned({ by: other }), ''],
  ['does_not_match', aSigned({ environmentId: '' }), '. Here it was signed for no environment'],
  ['does_not_match', aSigned({ topic: COMMAND_TOPICS['partner-a'].name }), '. Here it was signed for the topic without its prefix'],
])('refuses a signature that is %s, and says what to do', async (problem, record, hint) => {
  const checked = await check(record);
  expect(checked).toMatchObject({ verdict: 'signature_refused', signature: problem });
  expect(checked.faults).toMatchObject([{ path: SIGNATURE_HEADER, code: 'signature_refused', next: SIGNATURE_ADVICE[problem] + hint }]);
}); // prettier-ignore

it('lists every fault at once, those of the signature too', async () => {
  const data = { ...signedShop, amount: -1, colour: 'red' };
  const { faults, verdict } = await check(
    aRecord({ data, record: { key: 'x/1', topic: 'payments.commands.card.v1' } }),
  );
  expect(verdict).toBe('not_read');
  const codes = faults.map(({ code }) => code);
  expect(codes).toEqual(expect.arrayContaining(['unknown_topic', 'key_mismatch', 'method_not_on_rail', 'signature_refused'])); // prettier-ignore
});

describe('the partition', () => {
  it.each([
    [7, ['the topic has 7 partitions and must have at least 12']],
    [12, []],
    [24, ['the topic has 24 partitions, of which 12 are used']],
  ])('is that of murmur2 modulo 12 where the topic has %i partitions at the brokers', async (count, says) => {
    const { partition, notes } = await check(aRecord(), { partitionsOf: () => Promise.resolve(count) });
    expect(partition).toEqual({ number: partitionForKey('shop-fr/order-1', 12), of: 12 });
    expect(notes).toEqual(says.map((text) => expect.stringContaining(text) as string));
  });

  it('of a record that another partitioner put elsewhere is noted, for gateways publish it again', async () => {
    const number = (partitionForKey('shop-fr/order-1', 12) + 1) % 12;
    const { verdict, notes } = await check(aRecord({ record: { partition: number } }));
    expect(verdict).toBe('accepted');
    expect(notes).toEqual([expect.stringContaining('partitioner=murmur2_random')]);
  });

  it('is none where the topic does not exist at the brokers', async () => {
    const { verdict, faults } = await check(aRecord(), { partitionsOf: () => Promise.resolve(undefined) });
    expect([verdict, faults.map(({ path, code }) => `${path} ${code}`)]).toEqual(['not_read', ['topic unknown_topic']]);
  });
});

it('is printed for people, without control characters of the input', async () => {
  const text = checkText([await check(aRecord({ record: { key: 'a\u001b[2J' } }))]);
  expect(text).toMatch(/^command: payment.authorize c1\n {2}topic test\.payments/);
  expect(text).toMatch(/- key must be merchant\/orderId of the command \(key_mismatch\)\n {4}next: set the record key/);
  expect(text).not.toMatch(/\u001b/);
});
