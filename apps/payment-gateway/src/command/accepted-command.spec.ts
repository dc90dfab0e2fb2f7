import { encodeCloudEvent, type CloudEvent, type Merchants } from '@tranche/contracts';
import { operationTag, termsOf, untagExtraData } from '@tranche/order-journal';
import { aCapture, aCardPayment, aPartnerAAuthorization, aPartnerBAuthorization } from '@tranche/testing';
import { factsOf, readCommand, sentExtraData, type AcceptedCommand } from './accepted-command.js';

const merchant = {
  merchant: 'shop-fr',
  identifier: 'SHOP',
  accountKey: 'k',
  market: 'FR',
  currency: 'EUR',
  lookup: false,
} as const;
const merchants = { byName: (name: string) => (name === 'shop-fr' ? merchant : undefined) } as Merchants;

function recordOf(data: object, change: Partial<CloudEvent> & { key?: string | null } = {}) {
  const { key, ...attributes } = change;
  const { merchant: shop, orderId } = data as { merchant: string; orderId: string };
  const event = {
    id: 'command-1',
    source: '/shop',
    type: 'payment.authorize',
    time: '2026-03-01T10:00:00Z',
    data,
    ...attributes,
  };
  return { key: key === undefined ? `${shop}/${orderId}` : key, ...encodeCloudEvent(event) };
}
const sound = aPartnerAAuthorization({ merchant: 'shop-fr', orderId: 'order-1' });
const faultsOf = (record: ReturnType<typeof recordOf>) => {
  const read = readCommand(record, 'partner-a', merchants);
  return read.read === 'rejected' ? read.rejection.faults.map(({ path, code }) => `${path} ${code}`) : read.read;
};

it('accepts a sound command', () => {
  const read = readCommand(recordOf(sound, { correlationid: 'c-1' }), 'partner-a', merchants);
  expect(read).toMatchObject({
    read: 'accepted',
    command: {
      operation: 'authorize',
      commandId: 'command-1',
      correlationId: 'c-1',
      orderKey: 'shop-fr/order-1',
      merchant,
    },
  });
});

it('a name that was decomposed is sent composed, and is the same command in either form', () => {
  const named = (firstName: string) => {
    const record = recordOf({ ...sound, billing: { ...sound.billing, firstName } });
    const read = readCommand(record, 'partner-a', merchants);
    return read.read === 'accepted' ? read.command : undefined;
  };
  const [composed, decomposed] = [named('Éloïse-Aurélieà'), named('Éloïse-Aurélieà'.normalize('NFD'))];
  expect(decomposed?.data).toMatchObject({ billing: { firstName: 'Éloïse-Aurélieà' } });
  expect(decomposed?.contentHash).toBe(composed?.contentHash);
});

it.each([
  ['an unknown type', recordOf(sound, { type: 'payment.gift' }), ['ce_type unknown_type']],
  ['an unknown merchant', recordOf({ ...sound, merchant: 'nobody' }), ['merchant unknown_merchant']],
  ['a key of another order', recordOf(sound, { key: 'shop-fr/order-2' }), ['key key_mismatch']],
  ['no key', recordOf(sound, { key: null }), ['key key_mismatch']],
  ['a bad envelope', recordOf(sound, { time: 'yesterday' }), ['ce_time malformed_envelope']],
])('rejects %s', (_what, record, faults) => {
  expect(faultsOf(record)).toEqual(faults);
});

it('rejects content of very many levels, and takes it for no command that was accepted once', () => {
  const levels = 200_000;
  const value = Buffer.from(
    `{"merchant":"shop-fr","orderId":"order-1","descriptor":${'['.repeat(levels)}${']'.repeat(levels)}}`,
  );
  const read = readCommand({ ...recordOf(sound), value }, 'partner-a', merchants);
  expect(read).toMatchObject({ read: 'rejected', rejection: { orderId: 'order-1', commandId: 'command-1' } });
  expect(read).not.toHaveProperty('command');
});

it('names every fault at once: envelope, fields and rules', () => {
  const bad = {
    ...aPartnerBAuthorization({ merchant: 'shop-fr', orderId: 'order-1', amount: 14_999 }),
    paymentOption: 'cash',
    surprise: 1,
  };
  const read = readCommand(recordOf(bad, { time: 'yesterday', key: 'x' }), 'partner-b', merchants);
  const paths = read.read === 'rejected' ? read.rejection.faults.map(({ path }) => path) : [];
  expect(paths).toEqual(expect.arrayContaining(['ce_time', 'key', 'amount', 'paymentOption', 'surprise']));
});

it.each([
  ['no content and no key', { key: null, value: null, headers: {} }],
  ['bytes that are not JSON', { key: null, value: Buffer.from([0xff, 0x00]), headers: { ce_id: 'x' } }],
  ['bytes that are not JSON under a good key', { key: 'shop-fr/order-1', value: Buffer.from('{'), headers: {} }],
  ['JSON that names no order', { key: 'nonsense', value: Buffer.from('{"a":1}'), headers: {} }],
  ['a list', { key: null, value: Buffer.from('[]'), headers: {} }],
])('can not read %s', (_what, record) => {
  const read = readCommand(record, 'partner-a', merchants);
  expect(read.read).toBe('unreadable');
  expect(read).not.toHaveProperty('rejection');
});

it.each([
  ['framed by a schema registry', Buffer.concat([Buffer.from([0, 0, 0, 0, 7]), recordOf(sound).value]), 'framed'],
  ['UTF-16', Buffer.from(`\ufeff${JSON.stringify(sound)}`, 'utf16le'), 'not UTF-8'],
  ['empty', null, 'no content'],
  ['half a text', Buffer.from('{"merchant":"shop-fr"'), 'not JSON'],
])('names the command whose value is %s, so that its sender gets an event', (_what, value, why) => {
  const read = readCommand({ ...recordOf(sound), value }, 'partner-a', merchants);
  const message = expect.stringContaining(why) as string;
  const rejection = { merchant: 'shop-fr', orderId: 'order-1', commandId: 'command-1', faults: [{ message }] };
  expect(read).toMatchObject({ read: 'unreadable', rejection });
});

it('takes a follow-up’s method from its order, else from the rail', () => {
  const command = {
    operation: 'capture',
    data: aCapture({ amount: 500 }),
    merchant,
    rail: 'partner-a',
    contentHash: 'h',
    commandId: 'c',
  } as unknown as AcceptedCommand;
  expect(termsOf(factsOf(command), 'B', 'T1')).toMatchObject({ method: 'B', transactionId: 'T1', amount: 500 });
  expect(termsOf(factsOf(command), undefined, 'T1').method).toBe('A');
});

it.each([
  ['basket 7', 'accepted'],
  ['basket 7|tr1.AAAAAAAAAAAA.1', ['extraData format']],
  ['basket 7|rp1.app', ['extraData format']],
])('EXTRADATA %s', (extraData, expected) => {
  expect(faultsOf(recordOf({ ...sound, extraData }))).toEqual(expected);
});

it('puts the tag of operation and attempt behind the caller’s EXTRADATA', () => {
  const capture = {
    operation: 'capture',
    commandId: 'command-1',
    data: aCapture({ extraData: 'basket 7' }),
  } as AcceptedCommand;
  const tag = { operation: operationTag('command-1'), attempt: 3 };
  expect(sentExtraData(capture, 3)?.isTagged).toBe(true);
  expect(untagExtraData(sentExtraData(capture, 3)?.extraData)).toEqual({ extraData: 'basket 7', tag });
  expect(
    sentExtraData({ operation: 'pay', commandId: 'command-1', data: aCardPayment() } as AcceptedCommand, 1),
  ).toBeUndefined();
});

describe('when Kafka took it', () => {
  const at = (timestampMs: number) => ({ ...recordOf(sound), timestampMs });
  const made = Date.parse('2026-03-01T10:00:00Z');

  it('counts beside the publisher’s time', () => {
    expect(readCommand(at(made - 1_000), 'partner-a', merchants)).toMatchObject({
      command: { appendedMs: made - 1_000 },
    });
    const unstamped = readCommand(at(-1), 'partner-a', merchants);
    expect(unstamped.read === 'accepted' && unstamped.command.appendedMs).toBeUndefined();
  });

  it('may be up to 5 minutes before that time', () => {
    expect(readCommand(at(made - 300_000), 'partner-a', merchants).read).toBe('accepted');
    expect(faultsOf(at(made - 300_001))).toEqual(['ce_time time_ahead']);
  });
});

it.each(['ce_id', 'ce_type', 'content-type', 'tranche-signature'])(
  'reads nothing where the header %s must occur only once, because readers could take different values',
  (name) => {
    const read = readCommand({ ...recordOf(sound), repeatedHeaders: ['traceparent', name] }, 'partner-a', merchants);
    expect(read).toMatchObject({ read: 'unreadable', faults: [{ path: name, code: 'duplicate' }] });
    // No event calls the command rejected, because anybody who may write to the topic can repeat a header of a signed command.
    expect('rejection' in read).toBe(false);
  },
);

it('accepts a foreign header that occurs more than once', () => {
  const repeatedHeaders = ['traceparent', 'ce_traceparent'];
  expect(readCommand({ ...recordOf(sound), repeatedHeaders }, 'partner-a', merchants).read).toBe('accepted');
});
