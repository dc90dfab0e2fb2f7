import { waitFor } from '@tranche/testing';
import {
  capture,
  form,
  keys,
  notificationOf,
  signed,
  startIngest,
  TOPICS,
  type Fields,
  type Ingest,
} from './support.js';

describe('a notification that nobody we know signed', () => {
  let ingest: Ingest;
  beforeAll(async () => {
    ingest = await startIngest();
  });
  afterAll(() => ingest.close());

  const forged: Record<string, Fields> = {
    'signed with another key': signed(capture(), 'not-the-key'),
    'signed with the account key, though there is one for notifications': signed(capture(), keys.account),
    'changed after it was signed': { ...signed(capture()), AMOUNT: '1' },
    'with a parameter more than was signed': { ...signed(capture()), EXTRA: '' },
    'of an unknown IDENTIFIER': signed(capture({ IDENTIFIER: 'Nobody' })),
  };

  it.each(Object.keys(forged))('%s is refused, counted and quarantined', async (how) => {
    const quarantine = await ingest.read(TOPICS.notificationsQuarantine);
    const answer = await fetch(`${ingest.webhook}?${form(forged[how]!)}`);
    expect(answer.status).toBe(403);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect(await answer.json()).toMatchObject({ status: 403, code: 'hash_mismatch', instance: '/notifications' });
    const last = await waitFor(
      () =>
        quarantine.find(
          ({ value }) =>
            JSON.stringify((JSON.parse(String(value)) as { parameters: unknown }).parameters) ===
            JSON.stringify(Object.entries(forged[how]!)),
        ),
      { what: 'the quarantined notification' },
    );
    expect(last.key).toMatch(/^[0-9a-f]{64}$/);
    expect(last.headers['ce_type']).toBe('payment.notification.quarantined');
  });

  it('without HASH it is refused and counted, and not kept: it could never verify', async () => {
    const dropped = () => ingest.metric('ingest_quarantine_dropped_total{reason="no_hash"');
    const before = await dropped();
    expect((await fetch(`${ingest.webhook}?${form(capture())}`)).status).toBe(400);
    expect(await dropped()).toBe(before + 1);
  });

  it.each(['%ff', '%C3', '%ED%A0%80'])(
    'bytes that are no text, %s, do not pass for the sign that stands for them, which was signed',
    async (bytes) => {
      const fields = signed(capture({ MESSAGE: 'plus \ufffd' }));
      const answer = await fetch(`${ingest.webhook}?${String(form(fields)).replace('%EF%BF%BD', bytes)}`);
      expect([answer.status, await answer.json()]).toMatchObject([403, { code: 'hash_mismatch' }]);
    },
  );

  it('never becomes an event, and is in the metrics', async () => {
    const metrics = await (await fetch(`${ingest.app.managementUrl}/metrics`)).text();
    expect(metrics).toMatch(/ingest_notifications_total\{result="hash_mismatch".*\} 7/);
    expect(metrics).toMatch(/ingest_notifications_total\{result="unknown_identifier".*\} 1/);
    const events = await ingest.read(TOPICS.notifications);
    // This notification has the same key: an event of a forgery would come before it in the partition.
    await fetch(`${ingest.webhook}?${form(signed(capture({ MESSAGE: 'the genuine one' })))}`);
    const messages = () => events.map((record) => notificationOf(record).message);
    await waitFor(() => messages().includes('the genuine one'), { what: 'the genuine one' });
    expect(messages()).toEqual(['the genuine one']);
  });

  it('leaves no key and no personal data in the log', () => {
    const log = ingest.app.logs.join('\n');
    expect(log).toContain('a notification was refused');
    for (const secret of [...Object.values(keys), 'jeanne@example.com']) expect(log).not.toContain(secret);
  });
});
