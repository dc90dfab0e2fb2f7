import { brokerGate, infrastructure, waitFor } from '@tranche/testing';
import { capture, form, signed, startIngest } from './support.js';

it('more than may wait for Kafka is turned away at once, and room is there again after', async () => {
  const gate = await brokerGate(infrastructure().brokers);
  const ingest = await startIngest(gate.address, { MAX_WAITING_NOTIFICATIONS: '3', PUBLISH_TIMEOUT_MS: '60000' });
  const notify = (orderId: string) => fetch(`${ingest.webhook}?${form(signed(capture({ ORDERID: orderId })))}`);
  try {
    expect((await notify('before')).status).toBe(200);
    await gate.shut();
    const waiting = [1, 2, 3].map((n) => notify(`waits ${n}`));
    await waitFor(async () => (await ingest.metric('ingest_waiting_notifications')) === 3, { what: 'three that wait' });
    expect(await ingest.metric('ingest_waiting_bytes')).toBeGreaterThan(1_000);
    const answer = await notify('too many');
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('5');
    expect(await ingest.metric('ingest_waiting_notifications')).toBe(3);
    expect(await ingest.metric('ingest_notifications_total{result="overloaded"')).toBe(1);
    await gate.open();
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await notify('after')).status).toBe(200);
  } finally {
    await ingest.close();
    await gate.close();
  }
});
