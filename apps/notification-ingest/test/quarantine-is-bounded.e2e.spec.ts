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

  it('is kept once, however often the same comes', async () => {
    const other = await startIngest();
    const same = form({ ...signed(capture()), AMOUNT: '1' });
    const records = await other.read(TOPICS.notificationsQuarantine);
    await fetch(`${other.webhook}?${same}`);
    await waitFor(() => records.length === 1, { what: 'the first' });
    for (let n = 0; n < 5; n++) await fetch(`${other.webhook}?${same}`);
    await fetch(`${other.webhook}?${form({ ...signed(capture()), AMOUNT: '1', HASH: '0'.repeat(64) })}`);
    await waitFor(() => records.length > 1, { what: 'the one with another HASH' });
    expect(records).toHaveLength(2);
    await other.close();
  });
});
