import { AUDIT_TYPE, TOPICS, type AuditRecord } from '@tranche/contracts';
import { ProduceDeadlineError, type BatchingProducer, type ProducerRecord } from '@tranche/kafka';
import { createLogger, Metrics } from '@tranche/service-kit';
import type { Clock } from '../clock.js';
import type { GatewayConfig } from '../gateway.config.js';
import { aboutAnswer, aboutRequest, Audit } from './audit.service.js';

const said = { action: 'resolution.submit', result: 'asked', operator: 'alice', role: 'operator' } as const;
const stranger: AuditRecord = { action: 'order.read', result: 'refused', code: 'unauthorized' };

function setUp(fault?: Error) {
  const sent: ProducerRecord[] = [];
  const producer = {
    send: (record: ProducerRecord) => {
      sent.push(record);
      return fault ? Promise.reject(fault) : Promise.resolve({ offset: 0n });
    },
  } as unknown as BatchingProducer;
  const now = { ms: 10_000 };
  const clock = { nowMs: () => 0, monotonicMs: () => now.ms } as Clock;
  const log = createLogger({ name: 'spec', destination: { write: () => undefined } });
  const config = { kafkaTopicPrefix: 'spec.' } as GatewayConfig;
  return { audit: new Audit(config, producer, clock, log, new Metrics('spec')), sent, now };
}

it('writes an event under the person’s name before anything is done', async () => {
  const { audit, sent } = setUp();
  await audit.before(said);
  expect(sent).toHaveLength(1);
  const [{ topic, key, headers, value }] = sent as [ProducerRecord];
  expect([topic, key, headers?.ce_type]).toEqual([`spec.${TOPICS.operationsAudit.name}`, 'alice', AUDIT_TYPE]);
  expect(JSON.parse(String(value))).toEqual(said);
});

it('refuses a change that can not be recorded', async () => {
  const { audit } = setUp(new ProduceDeadlineError('audit', 5_000, true));
  await expect(audit.before(said)).rejects.toMatchObject({ status: 503, code: 'audit_unavailable' });
});

it('has one refusal of strangers a second, and every one of people who are known', async () => {
  const { audit, sent, now } = setUp();
  for (let times = 0; times < 3; times++) audit.note(stranger);
  for (let times = 0; times < 3; times++) audit.note({ ...said, result: 'refused' });
  now.ms += 1_000;
  audit.note(stranger);
  await audit.beforeApplicationShutdown();
  expect(sent.map(({ key }) => key)).toEqual(['unknown', 'alice', 'alice', 'alice', 'unknown']);
});

it('a stop and a replay are recorded with what they are about and why; a reason with card data is left out', () => {
  const scope = 'merchant:shop-fr';
  expect(aboutRequest({ params: { scope }, body: { reason: 'call 17' } })).toEqual({ scope, reason: 'call 17' });
  expect(aboutRequest({ params: { scope }, body: { reason: 'card 4111111111111111' } })).toEqual({ scope });
  expect(aboutRequest({ params: { scope: 'everything' }, body: { reason: 'call 17' } })).toEqual({});
  const body = { topic: 'payments.commands.dead-letter.v1', partition: 3, offset: '42', reason: 'mended' };
  expect(aboutRequest({ body })).toEqual({ deadLetter: 'payments.commands.dead-letter.v1/3/42', reason: 'mended' });
  const commandId = '5b0a4c1e-0d0f-4a55-8c0e-2f6a1f0c9d10';
  const named = { merchant: 'shop-fr', orderId: '1', commandId };
  expect(aboutAnswer({ verdict: 'repeat', why: '…', ...named })).toEqual({
    result: 'done',
    outcome: 'repeat',
    ...named,
  });
});
