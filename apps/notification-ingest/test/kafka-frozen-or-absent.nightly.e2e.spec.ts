import { brokerGate, infrastructure, waitFor } from '@tranche/testing';
import { capture, form, signed, startIngest } from './support.js';

describe('while Kafka is away', () => {
  it('frozen, with its connections open: an idle service is not ready within 15 s, and ready again afterwards', async () => {
    const gate = await brokerGate(infrastructure().brokers);
    const ingest = await startIngest(gate.address);
    const readiness = async () => fetch(`${ingest.app.managementUrl}/health/ready`);
    try {
      await waitFor(async () => (await readiness()).ok, { what: 'ready' });
      gate.freeze();
      await waitFor(async () => !(await readiness()).ok, { timeoutMs: 15_000, what: 'not ready' });
      expect(await (await readiness()).text()).toContain('has not answered for');
      gate.thaw();
      await waitFor(async () => (await readiness()).ok, { what: 'ready again' });
    } finally {
      await ingest.close();
      await gate.close();
    }
  });

  it('the service says so at its start, is not ready, and starts when Kafka comes', async () => {
    const gate = await brokerGate(infrastructure().brokers, { isOpen: false });
    const ingest = await startIngest(gate.address, {}, { readyPath: '/health/live' });
    const isReady = async () => (await fetch(`${ingest.app.managementUrl}/health/ready`)).ok;
    await waitFor(() => ingest.app.logs.some((line) => line.includes('Kafka does not answer at')), {
      what: 'a complaint',
    });
    expect(await isReady()).toBe(false);
    await gate.open();
    await waitFor(isReady, { what: 'ready' });
    expect((await fetch(`${ingest.webhook}?${form(signed(capture()))}`)).status).toBe(200);
    await ingest.close();
    await gate.close();
  });
});
