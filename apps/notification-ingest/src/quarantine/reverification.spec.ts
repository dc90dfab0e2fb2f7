import { createHash } from 'node:crypto';
import type { Merchant, PaymentNotification } from '@tranche/contracts';
import type { BatchingProducer } from '@tranche/kafka';
import { platformHash, type Parameters } from '@tranche/platform';
import { Metrics } from '@tranche/service-kit';
import { NotificationProducer } from '../notification.producer.js';
import { contentHash, parametersOfForm } from '../received-parameters.js';
import {
  quarantinedOf,
  quarantineRecord,
  type Entry,
  type Quarantined,
  type QuarantineReason,
} from '../quarantine-record.js';
import { chosen, Reverification, settingsOfReverification } from './reverification.js';

const shop = (merchant: string): Merchant => ({
  merchant,
  identifier: `ID ${merchant}`,
  accountKey: `key of ${merchant}`,
  market: 'FR',
  currency: 'EUR',
  lookup: false,
});
const shops = [shop('one'), shop('two')];
const merchants = {
  all: shops,
  byName: (name: string) => shops.find(({ merchant }) => merchant === name),
  byIdentifier: (id: string) => shops.find(({ identifier }) => identifier === id),
};

const place = { key: 'a', partition: 0, offset: 0n };

interface Kept {
  id: string;
  fields?: Record<string, string>;
  key?: string;
  at?: string;
  merchant?: string;
  reason?: QuarantineReason;
}

let next = 40n;

function kept({
  id,
  fields = {},
  key = 'key of one',
  at = '2028-01-02T00:00:00.000Z',
  merchant,
  reason = 'hash_mismatch',
}: Kept): Quarantined {
  const all = { IDENTIFIER: 'ID one', ORDERID: id, OPERATIONTYPE: 'capture', EXECCODE: '0000', ...fields };
  const parameters = Object.entries({ ...all, HASH: platformHash(key, Object.entries(all)) });
  const { value } = quarantineRecord(reason, { id, parameters, receivedAt: at, from: '192.0.2.1', merchant });
  return quarantinedOf({ key: id, partition: 3, offset: next++, value })!;
}

async function* of(...records: Quarantined[]): AsyncGenerator<Quarantined> {
  await Promise.resolve();
  yield* records;
}

function publisher() {
  const published: [string, PaymentNotification][] = [];
  const closed: [Entry, string][] = [];
  const publish = (id: string, notification: PaymentNotification) => {
    published.push([id, notification]);
    return Promise.resolve();
  };
  const close = (entry: Entry, event: string) => {
    closed.push([entry, event]);
    return Promise.resolve();
  };
  return { published, publish, closed, close };
}

it('publishes each genuine notification once, with the id and time that its event would have had', async () => {
  const producer = publisher();
  const result = await new Reverification({ merchants }, producer).run(
    of(
      kept({ id: 'a' }),
      kept({ id: 'a' }),
      kept({ id: 'forged', key: 'x' }),
      kept({ id: 'nobody', fields: { IDENTIFIER: 'Nobody' } }),
      kept({ id: 'masked', fields: { CARDCVV: '123' } }),
      kept({ id: 'no order', fields: { ORDERID: '' }, reason: 'no_order' }),
    ),
  );
  expect(result).toEqual({ read: 6, verified: 3, published: 1, stillRefused: 2, altered: 1, withoutOrder: 1 });
  expect(producer.published).toEqual([
    [
      'a',
      expect.objectContaining({
        merchant: 'one',
        orderId: 'a',
        execCode: '0000',
        receivedAt: '2028-01-02T00:00:00.000Z',
      }),
    ],
  ]);
});

it('verifies again by the bytes what is not UTF-8, and reads its text from them', async () => {
  const fields = 'EXECCODE=0000&IDENTIFIER=ID one&MESSAGE=Op\xe9ration 5 \xa4&OPERATIONTYPE=capture&ORDERID=a';
  const clear = `key of one${fields.replaceAll('&', 'key of one')}key of one`;
  const hash = createHash('sha256').update(Buffer.from(clear, 'latin1')).digest('hex');
  const parameters = parametersOfForm(Buffer.from(`${fields}&HASH=${hash}`, 'latin1'), 'iso-8859-15') as Parameters;
  const { value } = quarantineRecord('hash_mismatch', {
    id: 'a',
    parameters,
    receivedAt: '2028-01-02T00:00:00Z',
    from: '',
  });
  const producer = publisher();
  const stored = value.toString();
  expect(stored).toContain('Opération 5 €');
  const changed = Buffer.from(stored.replace('Opération 5 €', 'Opération 9 €'));
  for (const kept of [value, changed]) {
    producer.published.length = 0;
    expect(
      await new Reverification({ merchants }, producer).run(of(quarantinedOf({ ...place, value: kept })!)),
    ).toMatchObject({
      published: 1,
    });
    const [, { message, flags }] = producer.published[0]!;
    expect([message, flags]).toEqual(['Opération 5 €', ['not_utf8']]);
  }
});

it('leaves out the fragment of a URL that was quarantined with the last value', async () => {
  const { id, parameters } = kept({ id: 'a' });
  const sent = parameters.map(([name, value]) => [name, name === 'HASH' ? `${value}#top` : value] as const);
  const about = { id, receivedAt: '2028-01-02T00:00:00Z', from: '192.0.2.1', merchant: 'one' };
  const { value } = quarantineRecord('hash_mismatch', { ...about, parameters: sent });
  const producer = publisher();
  await new Reverification({ merchants }, producer).run(of(quarantinedOf({ ...place, value })!));
  expect(producer.published).toEqual([[contentHash(parameters), expect.objectContaining({ orderId: 'a' })]]);
});

it('is not bound by the running service’s limits of waiting notifications', async () => {
  const running = { kafkaTopicPrefix: '', publishTimeoutMs: 100, maxWaitingNotifications: 1, maxWaitingBytes: 1 };
  const batches = { send: () => new Promise((resolve) => setImmediate(resolve)) } as unknown as BatchingProducer;
  const producer = new NotificationProducer(batches, settingsOfReverification(running), new Metrics('spec'));
  const records = Array.from({ length: 1_200 }, (_, at) => kept({ id: `order ${at}` }));
  expect(await new Reverification({ merchants }, producer).run(of(...records))).toMatchObject({ published: 1_200 });
});

it('publishes the genuine one despite a forged record with the same content', async () => {
  const producer = publisher();
  await new Reverification({ merchants }, producer).run(of(kept({ id: 'a', key: 'x' }), kept({ id: 'a' })));
  expect(producer.published.map(([id]) => id)).toEqual(['a']);
});

it('publishes nothing in a dry run', async () => {
  const result = await new Reverification({ merchants }, undefined).run(of(kept({ id: 'a' })));
  expect(result).toMatchObject({ verified: 1, published: 0 });
});

it('closes each entry that verified, repeats too, once its event is stored', async () => {
  const { publish, published, ...producer } = publisher();
  const stored: string[] = [];
  const slowly = async (id: string, notification: PaymentNotification) => {
    await new Promise((resolve) => setImmediate(resolve));
    stored.push(id);
    return publish(id, notification);
  };
  const close = (entry: Entry, event: string) => {
    expect(stored).toContain(event);
    return producer.close(entry, event);
  };
  const entries = [kept({ id: 'a' }), kept({ id: 'forged', key: 'x' }), kept({ id: 'a' })] as const;
  await new Reverification({ merchants }, { publish: slowly, close }).run(of(...entries));
  expect(published).toHaveLength(1);
  expect(producer.closed).toEqual([[entries[0].entry, 'a'], [entries[2].entry, 'a']]); // prettier-ignore
});

it('publishes the same event again after it was interrupted before the entry was closed', async () => {
  const entry = kept({ id: 'a' });
  const interrupted = { ...publisher(), close: () => Promise.reject(new Error('Kafka is away')) };
  await expect(new Reverification({ merchants }, interrupted).run(of(entry))).rejects.toThrow('not closed');
  const again = publisher();
  await new Reverification({ merchants }, again).run(of(entry));
  expect(again.published).toEqual(interrupted.published);
  expect(again.closed).toEqual([[entry.entry, 'a']]);
});

it('fails if a publish fails', async () => {
  const producer = { ...publisher(), publish: () => Promise.reject(new Error('Kafka is away')) };
  await expect(new Reverification({ merchants }, producer).run(of(kept({ id: 'a' })))).rejects.toThrow(
    'was not published',
  );
  expect(producer.closed).toEqual([]);
});

it('filters by merchant and by time', async () => {
  const ids = async (options: { merchant?: string; since?: string }, identifier?: string) => {
    const found: string[] = [];
    const all = of(
      kept({ id: 'old', merchant: 'one', at: '2028-01-01T00:00:00.000Z' }),
      kept({ id: 'new', merchant: 'one' }),
      kept({ id: 'other', merchant: 'two', fields: { IDENTIFIER: 'ID two' } }),
      kept({ id: 'was unknown', reason: 'unknown_identifier' }),
    );
    for await (const { id } of chosen(all, options, identifier)) found.push(id);
    return found;
  };
  expect(await ids({})).toHaveLength(4);
  expect(await ids({ merchant: 'one' }, 'ID one')).toEqual(['old', 'new', 'was unknown']);
  expect(await ids({ merchant: 'two' }, 'ID two')).toEqual(['other']);
  expect(await ids({ since: '2028-01-02T01:00:00+01:00' })).toEqual(['new', 'other', 'was unknown']);
});

it.each([
  null,
  Buffer.from('{'),
  Buffer.from('{}'),
  Buffer.from('{"reason":"x","from":"y","receivedAt":"z","parameters":[["A",1]]}'),
])('takes no record that is none of ours: %s', (value) => expect(quarantinedOf({ ...place, value })).toBeUndefined());

it('reports a failed publish at the end, even if reading takes much longer', async () => {
  const publish = () => Promise.reject(new Error('Kafka is away'));
  async function* slowly(): AsyncGenerator<Quarantined> {
    yield kept({ id: 'a' });
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    yield kept({ id: 'b' });
  }
  const unhandled = jest.fn();
  process.on('unhandledRejection', unhandled);
  try {
    await expect(new Reverification({ merchants }, { ...publisher(), publish }).run(slowly())).rejects.toThrow(
      'not published, or its entry not closed: Error: Kafka is away',
    );
  } finally {
    process.off('unhandledRejection', unhandled);
  }
  expect(unhandled).not.toHaveBeenCalled();
});
