import { writeFileSync } from 'node:fs';
import { waitFor } from '@tranche/testing';
import { runQuarantine } from './run-quarantine.js';
import {
  capture,
  form,
  formInLatin1,
  keys,
  merchants,
  notificationOf,
  signed,
  startIngest,
  TOPICS,
  type Ingest,
} from './support.js';

describe('after a key was corrected', () => {
  let ingest: Ingest;
  beforeAll(async () => {
    const wrong = merchants.map((merchant) => ({ ...merchant, notificationKey: 'a wrong key', previousKeys: {} }));
    ingest = await startIngest(undefined, {}, { merchants: wrong });
  });
  afterAll(() => ingest.close());

  const quarantine = (args: string[]) => runQuarantine(ingest, args);
  const reverify = async (...args: string[]) => {
    const { code, out } = await quarantine(['reverify', '--json', ...args]);
    return { code, ...(JSON.parse(out) as object) };
  };

  it('what was refused is listed, verified again, and becomes the same events', async () => {
    const quarantined = await ingest.read(TOPICS.notificationsQuarantine);
    const events = await ingest.read(TOPICS.notifications);
    const genuine = [1, 2].map((n) => capture({ ORDERID: `order ${n}` }));
    // The third is not UTF-8: it is verified again by its stored bytes.
    const sent = [...genuine.map((fields) => form(signed(fields))), formInLatin1(capture({ ORDERID: 'order 3' }))];
    for (const query of sent) expect((await fetch(`${ingest.webhook}?${query}`)).status).toBe(403);
    await waitFor(() => quarantined.length === 3, { what: 'three records in quarantine' });
    // The service recognises a repeat only after Kafka's acknowledgement, which comes after the record can be read.
    const acknowledged = () => ingest.metric('kafka_records_produced_total{result="acknowledged"');
    await waitFor(async () => (await acknowledged()) === 3, { what: 'three acknowledgements' });
    expect((await fetch(`${ingest.webhook}?${form(signed(genuine[0]!))}`)).status).toBe(403);
    await fetch(`${ingest.webhook}?${form({ ...signed(genuine[0]!), AMOUNT: '1' })}`);
    await fetch(`${ingest.webhook}?${form(signed(capture({ CARDCVV: '123' })))}`);
    await waitFor(() => quarantined.length === 5, { what: 'five records in quarantine' });

    const listed = await quarantine(['list']);
    expect(listed.code).toBe(0);
    // If the command takes more than two seconds, it prints the number of records read on stderr.
    expect(listed.err).toMatch(/^(\d+ records …\n)*$/);
    expect(listed.out.split('\n').filter((line) => line.includes('hash_mismatch'))).toHaveLength(5);
    const asJson = (await quarantine(['list', '--json'])).out.trim().split('\n');
    expect(JSON.parse(asJson[0]!)).toMatchObject({
      reason: 'hash_mismatch',
      merchant: 'shop-fr',
      orderId: 'order 1',
      from: ['127.0.0.1'],
      count: 1,
    });

    expect(await reverify()).toEqual({
      code: 0,
      read: 5,
      verified: 0,
      published: 0,
      stillRefused: 4,
      altered: 1,
      withoutOrder: 0,
    });
    writeFileSync(ingest.merchantsFile, JSON.stringify(merchants));
    expect(await reverify('--dry-run')).toMatchObject({ verified: 3, published: 0 });
    expect(await reverify('--merchant', 'shop-es')).toMatchObject({ read: 0 });
    expect(events).toHaveLength(0);
    expect(await reverify('--since', '1h')).toEqual({
      code: 0,
      read: 5,
      verified: 3,
      published: 3,
      stillRefused: 1,
      altered: 1,
      withoutOrder: 0,
    });

    await waitFor(() => events.length === 3, { what: 'three events' });
    // The first run closed what it published: a second one looks at the other two alone.
    expect(await reverify('--since', '1h')).toMatchObject({ read: 2, verified: 0, published: 0 });
    expect((await quarantine(['list'])).err).not.toContain('no quarantined notifications');
    expect(events.map((event) => notificationOf(event).orderId).sort()).toEqual(['order 1', 'order 2', 'order 3']);
    const corrected = await startIngest(undefined, { KAFKA_TOPIC_PREFIX: ingest.prefix });
    await fetch(`${corrected.webhook}?${form(signed(genuine[0]!, keys.previous))}`);
    await waitFor(() => events.length === 4, { what: 'the event of a repeat' });
    const idsOfTheFirst = events
      .filter((event) => notificationOf(event).orderId === 'order 1')
      .map(({ headers }) => headers['ce_id']);
    expect(new Set(idsOfTheFirst).size).toBe(1);
    await corrected.close();
  });
});
