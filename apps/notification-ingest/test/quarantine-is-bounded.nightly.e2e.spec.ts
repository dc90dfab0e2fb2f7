import { waitFor } from '@tranche/testing';
import { capture, form, signed, startIngest, TOPICS, type Ingest } from './support.js';

const KILOBYTES = 64;

describe('a flood of forged notifications', () => {
  let ingest: Ingest;
  beforeAll(async () => {
    ingest = await startIngest(undefined, { QUARANTINE_KB_PER_HOUR: String(KILOBYTES), FAILURES_PER_MINUTE: '10' });
  });
  afterAll(() => ingest.close());

  it('fills the quarantine to its bound, and what is dropped is counted', async () => {
    const flood = 200;
    for (let n = 0; n < flood; n++) {
      await fetch(`${ingest.webhook}?${form({ ...signed(capture({ ORDERID: `f${n}` })), AMOUNT: '1' })}`);
    }
    const dropped = () => ingest.metric('ingest_quarantine_dropped_total{reason="address"');
    await waitFor(async () => (await dropped()) === flood - KILOBYTES, { what: 'what was dropped' });
    const records = await ingest.read(TOPICS.notificationsQuarantine);
    await waitFor(() => records.length === KILOBYTES, { what: 'what was kept' });
  });

  it('crowds nothing out that can be verified some day', async () => {
    const other = await startIngest(undefined, {
      QUARANTINE_KB_PER_HOUR: '64',
      QUARANTINE_TOTAL_KB_PER_HOUR: '64',
      FAILURES_PER_MINUTE: '10',
    });
    const send = (fields: Record<string, string>) =>
      fetch(other.webhook, { method: 'POST', body: new URLSearchParams(fields) });
    for (let n = 0; n < 40; n++) await send({ A: `${'x'.repeat(6_000)}${n}` });
    for (let n = 0; n < 10; n++)
      await send(signed(capture({ ORDERID: `big ${n}`, MESSAGE: 'x'.repeat(9_000) }), 'wrong'));
    for (let n = 0; n < 80; n++) await send(signed(capture({ ORDERID: `nobody ${n}`, IDENTIFIER: 'nobody' }), 'wrong'));
    const dropped = (reason: string) => other.metric(`ingest_quarantine_dropped_total{reason="${reason}"`);
    await waitFor(async () => (await dropped('address')) === 80 - 64, { what: 'those of nobody dropped' });
    expect([await dropped('no_hash'), await dropped('size')]).toEqual([40, 10]);
    await send(signed(capture({ ORDERID: 'ours' }), 'wrong'));
    const records = await other.read(TOPICS.notificationsQuarantine);
    const isOursThere = () => records.some(({ value }) => value?.includes('"ours"'));
    await waitFor(() => records.length >= 65 && isOursThere(), { what: 'what was kept, with the one of our merchant' });
    expect(records).toHaveLength(65);
    await other.close();
  });

  it('counts bytes as they are stored: a control character takes six', async () => {
    const other = await startIngest();
    const send = (MESSAGE: string) =>
      fetch(`${other.webhook}?${form(signed(capture({ ORDERID: MESSAGE.slice(0, 1), MESSAGE }), 'wrong'))}`);
    const records = await other.read(TOPICS.notificationsQuarantine);
    await send('\u0001'.repeat(2_000));
    await send('a'.repeat(2_000));
    await waitFor(() => records.some(({ value }) => value?.includes('aaa')), {
      what: 'the one without control characters',
    });
    await waitFor(async () => (await other.metric('ingest_quarantine_dropped_total{reason="size"')) === 1, {
      what: 'the other is dropped',
    });
    expect(records).toHaveLength(1);
    await other.close();
  });

  it('is kept once, however often the same comes', async () => {
    const other = await startIngest();
    const same = form({ ...signed(capture()), AMOUNT: '1' });
    const records = await other.read(TOPICS.notificationsQuarantine);
    await fetch(`${other.webhook}?${same}`);
    await waitFor(() => records.length === 1, { what: 'the first' });
    // The service recognises a repeat only after Kafka's acknowledgement, which comes after the record can be read.
    const acknowledged = () => other.metric('kafka_records_produced_total{result="acknowledged"');
    await waitFor(async () => (await acknowledged()) === 1, { what: 'its acknowledgement' });
    for (let n = 0; n < 5; n++) await fetch(`${other.webhook}?${same}`);
    await fetch(`${other.webhook}?${form({ ...signed(capture()), AMOUNT: '1', HASH: '0'.repeat(64) })}`);
    await waitFor(() => records.length > 1, { what: 'the one with another HASH' });
    expect(records).toHaveLength(2);
    await other.close();
  });
});
