import type * as kafka from '@tranche/kafka';
import { checkTopics, type KafkaClient } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import { Health, type ServiceLogger } from '@tranche/service-kit';
import type { GatewayConfig } from '../gateway.config.js';
import { CommandGate } from './command-gate.service.js';
import { JournalSettings } from './journal-settings.service.js';

jest.mock('@tranche/kafka', () => ({ ...jest.requireActual<typeof kafka>('@tranche/kafka'), checkTopics: jest.fn() }));

const fault = { topic: 'payments.journal.v1', message: 'has cleanup.policy compact, must be delete' };

function setUp(topics: 'check' | 'create' = 'check') {
  const log = silentLog as ServiceLogger;
  const commandGate = new CommandGate(new Health(), log);
  const config = { kafkaTopicPrefix: '', topics } as GatewayConfig;
  return { commandGate, settings: new JournalSettings(config, {} as KafkaClient, commandGate, log) };
}

it('takes no commands while a setting of the journal’s topic could lose records, and takes them again afterwards', async () => {
  const { commandGate, settings } = setUp();
  jest.mocked(checkTopics).mockResolvedValue([{ ...fault, severity: 'fault' }]);
  await settings.look();
  expect(commandGate.blockedBecause).toBe('payments.journal.v1 has cleanup.policy compact, must be delete');
  jest.mocked(checkTopics).mockResolvedValue([{ ...fault, severity: 'warning' }]);
  await settings.look();
  expect(commandGate.blockedBecause).toBeUndefined();
});

it('asks by the rules of the start', async () => {
  for (const [topics, production] of [
    ['check', true],
    ['create', false],
  ] as const) {
    jest.mocked(checkTopics).mockResolvedValue([]);
    await setUp(topics).settings.look();
    expect(checkTopics).toHaveBeenLastCalledWith({}, expect.objectContaining({ production }));
  }
});

it('takes commands while Kafka does not answer the question: its connection reports that', async () => {
  const { commandGate, settings } = setUp();
  jest.mocked(checkTopics).mockRejectedValue(new Error('away'));
  await settings.look();
  expect(commandGate.blockedBecause).toBeUndefined();
});
