import { generateKeyPairSync } from 'node:crypto';
import {
  COMMAND_TOPICS,
  encodeCloudEvent,
  SIGNATURE_HEADER,
  SIGNATURE_PROBLEMS,
  signCommand,
} from '@tranche/contracts';
import type { ConsumedRecord } from '@tranche/kafka';
import { aPartnerAAuthorization } from '@tranche/testing';
import { commandConsumer } from '../../test/command-consumer.js';

/** Forgeries of each of the six kinds. */
const EACH = process.env.NIGHTLY ? 1_700 : 300;

const NOW_MS = Date.parse('2026-03-01T10:00:02Z');
const MADE = '2026-03-01T10:00:00Z';
const environmentId = 'production';
const [own, other, foreign] = [1, 2, 3].map(() => generateKeyPairSync('ed25519')) as [KeyPair, KeyPair, KeyPair];
type KeyPair = ReturnType<typeof generateKeyPairSync>;
const publicKeyOf = ({ publicKey }: KeyPair) => publicKey.export({ format: 'jwk' }).x;
const keyEntry = (kid: string, pair: KeyPair, more: object = {}) => ({ kid, publicKey: publicKeyOf(pair), ...more });

const fields = { accountKey: 'a-key-of-its-own', requireSignatures: true };
const MERCHANTS = [
  {
    ...{ merchant: 'shop-fr', identifier: 'A', ...fields },
    publisherKeys: [
      keyEntry('k1', own),
      keyEntry('ended', own, { notAfter: '2026-02-01T00:00:00Z' }),
      keyEntry('to-come', own, { notBefore: '2026-04-01T00:00:00Z' }),
      keyEntry('revoked', own, { revokedAt: '2026-03-01T10:00:01Z' }),
    ],
  },
  // The same kid as the other merchant's, with another key.
  {
    ...{ merchant: 'shop-es', identifier: 'B', ...fields },
    publisherKeys: [keyEntry('k1', other), keyEntry('k2', other)],
  },
];
const TOPICS = Object.values(COMMAND_TOPICS).map(({ name }) => name);
const topic = COMMAND_TOPICS['partner-a'].name;

interface Given {
  n: number;
  merchant?: string;
  orderId?: string;
  time?: string;
  id?: string;
}
function unsigned({
  n,
  merchant = 'shop-fr',
  orderId = `order-${n}`,
  time = MADE,
  id = `command-${n}`,
}: Given): ConsumedRecord {
  const data = aPartnerAAuthorization({ merchant, orderId, amount: 10_000 + n });
  const event = encodeCloudEvent({ id, source: '/shop', type: 'payment.authorize', time, data });
  const key = `${merchant}/${orderId}`;
  return {
    ...{ topic, partition: 0, offset: BigInt(n), key, rawKey: Buffer.from(key), timestampMs: NOW_MS },
    ...event,
  };
}
function withSignature(record: ConsumedRecord, signature: string): ConsumedRecord {
  return { ...record, headers: { ...record.headers, [SIGNATURE_HEADER]: signature } };
}
/** Signs a record. The signed record may differ from the one that is sent. */
function signed(
  record: ConsumedRecord,
  as: { kid?: string; by?: KeyPair; of?: ConsumedRecord; environment?: string } = {},
): ConsumedRecord {
  const { kid = 'k1', by = own, of = record, environment = environmentId } = as;
  return withSignature(record, signCommand(of, { kid, privateKey: by.privateKey, environmentId: environment }));
}
function flipped(bytes: Buffer, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[(bit >> 3) % copy.length]! ^= 1 << (bit & 7);
  return copy;
}
const pick = <T>(of: readonly T[], n: number): T => of[n % of.length]!;

/** Builds the n-th forgery of a kind; each kind has several ways. */
const KINDS: Record<string, (n: number) => ConsumedRecord> = {
  forged: (n) => {
    const record = unsigned({ n });
    const sound = signed(record).headers[SIGNATURE_HEADER]!;
    const at = sound.indexOf('..') + 2;
    const bytes = Buffer.from(sound.slice(at), 'base64url');
    return pick<() => ConsumedRecord>(
      [
        () => signed(record, { by: foreign }),
        () => withSignature(record, sound.slice(0, at) + flipped(bytes, n).toString('base64url')),
        () => withSignature(record, sound.slice(0, at) + Buffer.alloc(64, n).toString('base64url')),
        () => ({ ...withSignature(record, sound), value: flipped(record.value!, 8 * 100 + (n & 1)) }),
        () => record,
        () => withSignature(record, 'x'.repeat(n)),
      ],
      n,
    )();
  },
  replayed: (n) => {
    const sound = unsigned({ n });
    return pick<() => ConsumedRecord>(
      [
        () => signed(unsigned({ n, id: `again-${n}` }), { of: sound }),
        () => signed(unsigned({ n, time: '2026-03-01T10:00:01Z' }), { of: sound }),
        () => signed(unsigned({ n, orderId: `another-${n}` }), { of: sound }),
        () => signed(sound, { environment: 'staging' }),
        () => signed(sound, { environment: '' }),
        () => ({ ...signed(sound), headers: { ...signed(sound).headers, [`ce_more${n}`]: 'x' } }),
      ],
      n,
    )();
  },
  're-keyed': (n) => {
    const record = unsigned({ n });
    const keys = [`shop-fr/other-${n}`, `shop-es/order-${n}`, 'shop-fr/order-0/x', null];
    const key = pick(keys, n);
    return { ...signed(record), key, rawKey: key === null ? null : Buffer.from(key) };
  },
  expired: (n) =>
    pick<() => ConsumedRecord>(
      [
        () => signed(unsigned({ n }), { kid: 'ended' }),
        // Dated back to when the key was valid, but appended by Kafka later.
        () => signed(unsigned({ n, time: '2026-01-31T00:00:00Z' }), { kid: 'ended' }),
        () => ({ ...signed(unsigned({ n }), { kid: 'ended' }), timestampMs: Date.parse('2026-01-31T00:00:00Z') }),
        () => signed(unsigned({ n }), { kid: 'to-come' }),
        () => signed(unsigned({ n }), { kid: 'revoked' }),
        () => signed(unsigned({ n, time: '2026-02-28T00:00:00Z' }), { kid: 'revoked' }),
      ],
      n,
    )(),
  'wrong-merchant': (n) =>
    pick<() => ConsumedRecord>(
      [
        () => signed(unsigned({ n, merchant: 'shop-es' })),
        () => signed(unsigned({ n }), { by: other }),
        () => signed(unsigned({ n }), { by: other, kid: 'k2' }),
        () => signed(unsigned({ n, merchant: 'shop-es' }), { of: unsigned({ n }) }),
      ],
      n,
    )(),
  'wrong-topic': (n) => {
    const sent = { ...unsigned({ n }), topic: pick(TOPICS, n) };
    const elsewhere = [
      ...TOPICS.map((name) => `staging.${name}`),
      ...TOPICS.filter((name) => name !== sent.topic),
      'payments.events.v1',
    ];
    return signed(sent, { of: { ...sent, topic: pick(elsewhere, n >> 2) } });
  },
};

it.each(Object.keys(KINDS))(
  `accepts none of ${EACH} commands that are %s, and keeps no content`,
  async (kind) => {
    const gateway = commandConsumer({ merchants: MERCHANTS, environmentId, nowMs: NOW_MS });
    const kept: unknown[] = [];
    for (let from = 0; from < EACH; from += 100) {
      const tries = Array.from({ length: Math.min(100, EACH - from) }, (_, at) =>
        gateway.take(KINDS[kind]!(from + at)),
      );
      for (const settled of await Promise.allSettled(tries)) {
        const { code, options, message } = (settled as { reason?: Refusal }).reason ?? {};
        if (code === 'signature_refused' && options?.withoutContent === true) expect(message).toMatch(REFUSED);
        else kept.push(settled);
      }
    }
    expect(kept).toEqual([]);
    expect([gateway.executed, gateway.published, gateway.appended]).toEqual([[], [], []]);
    const counted = (await gateway.metrics.registry.getSingleMetric('tranche_command_signatures_total')!.get()).values;
    const verified = counted.filter(({ labels }) => labels.outcome === 'verified');
    expect(verified.map(({ value }) => value)).toEqual(verified.map(() => 0));
    expect(counted.reduce((sum, { value }) => sum + value, 0)).toBe(EACH);
  },
  120_000,
);

const REFUSED = new RegExp(`^no key of the merchant has signed the command: (${SIGNATURE_PROBLEMS.join('|')})$`);
interface Refusal {
  code: string;
  message: string;
  options: { withoutContent?: boolean };
}

it('accepts the same commands where they are signed as they should be', async () => {
  const gateway = commandConsumer({ merchants: MERCHANTS, environmentId, nowMs: NOW_MS });
  for (let n = 0; n < 50; n++) {
    await gateway.take(signed(unsigned({ n })));
    await gateway.take(signed(unsigned({ n, merchant: 'shop-es' }), { by: other }));
  }
  expect(gateway.executed).toHaveLength(100);
});
