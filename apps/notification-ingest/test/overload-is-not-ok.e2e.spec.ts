import { brokerGate, infrastructure, waitFor } from '@tranche/testing';
import { capture, form, signed, startIngest } from './support.js';

it('more than may wait for Kafka is turned away at once, and room is there again after', async () => {
  const gate = await brokerGate(infrastructure().brokers);
  const ingest = await startIngest(gate.address, { MAX_WAITING_NOTIFICATIONS: '3', PUBLISH_TIMEOUT_MS: '5000' });
  const notify = (orderId: string) => fetch(`${ingest.webhook}?${form(signed(capture({ ORDERID: orderId })))}`);
  try {
    expect((await notify('before')).status).toBe(200);
    await gate.shut();
    const startedMs = performance.now();
    const waiting = [1, 2, 3].map((n) => notify(`waits ${n}`));
    await waitFor(async () => (await ingest.metric('ingest_waiting_notifications')) === 3, { what: 'three that wait' });
    expect(await ingest.metric('ingest_waiting_bytes')).toBeGreaterThan(1_000);
    const answer = await notify('too many');
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('5');
    expect(performance.now() - startedMs).toBeLessThan(4_500);
    expect(await ingest.metric('ingest_notifications_total{result="overloaded"')).toBe(1);
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([503, 503, 503]);
    const tookMs = performance.now() - startedMs;
    expect(tookMs).toBeGreaterThan(4_900);
    expect(tookMs).toBeLessThan(7_000);
    await gate.open();
    await waitFor(async () => (await notify('after')).status === 200, { what: 'OK again', timeoutMs: 30_000 });
  } finally {
    await ingest.close();
    await gate.close();
  }
});
