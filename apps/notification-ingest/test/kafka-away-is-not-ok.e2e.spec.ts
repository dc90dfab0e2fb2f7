import { brokerGate, infrastructure, waitFor } from '@tranche/testing';
import { capture, form, notificationOf, signed, startIngest, TOPICS } from './support.js';

describe('while Kafka is away', () => {
  it('a signed notification is answered with 503 and Retry-After, never with OK, the service is not ready, and both recover', async () => {
    const gate = await brokerGate(infrastructure().brokers);
    // There is room for one record: one that timed out must free it for the next.
    const ingest = await startIngest(gate.address, { PUBLISH_TIMEOUT_MS: '1000', MAX_WAITING_NOTIFICATIONS: '1' });
    const notify = (orderId: string) => fetch(`${ingest.webhook}?${form(signed(capture({ ORDERID: orderId })))}`);
    const isReady = async () => (await fetch(`${ingest.app.managementUrl}/health/ready`)).ok;
    try {
      await waitFor(async () => (await (await notify('before')).text()) === 'OK', { what: 'OK' });
      await waitFor(isReady, { what: 'ready' });
      await gate.shut();
      const sentMs = performance.now();
      const answer = await notify('during');
      expect(answer.status).toBe(503);
      expect(performance.now() - sentMs).toBeGreaterThan(900);
      expect(answer.headers.get('retry-after')).toBe('5');
      expect(await answer.json()).toMatchObject({ code: 'not_stored' });
      await waitFor(async () => !(await isReady()), { what: 'not ready' });
      await gate.open();
      await waitFor(async () => (await (await notify('during')).text()) === 'OK', { what: 'OK again' });
      await waitFor(isReady, { what: 'ready again' });
      const records = await ingest.read(TOPICS.notifications);
      await waitFor(() => records.some((record) => notificationOf(record).orderId === 'during'), {
        what: 'the notification',
      });
    } finally {
      await ingest.close();
      await gate.close();
    }
  });
});
