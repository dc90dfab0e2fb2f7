import type { BatchingProducer, KafkaClient } from '@tranche/kafka';
import * as kafka from '@tranche/kafka';
import { ServiceLifetime, type ServiceLogger } from '@tranche/service-kit';
import { GatewayLifecycle, type GatewayParts, type GatewayTimers } from './gateway-lifecycle.service.js';
import type { GatewayConfig } from './gateway.config.js';

jest.mock('@tranche/kafka', () => ({
  ...jest.requireActual<typeof kafka>('@tranche/kafka'),
  waitForKafka: jest.fn(),
  prepareTopics: jest.fn(),
}));

const STEPS = ['prepareTopics', 'connect', 'assertUsable', 'projector', 'journal'] as const;

/** A gateway whose parts start when they are asked to; `at` stops it during that step. */
function gateway(at?: (typeof STEPS)[number]) {
  const calls: string[] = [];
  const lifetime = new ServiceLifetime();
  const step = (name: (typeof STEPS)[number]) => () => {
    calls.push(name);
    if (name === at) lifetime.stop(new Error('the service is stopping'));
    return Promise.resolve();
  };
  jest.mocked(kafka.prepareTopics).mockImplementation(step('prepareTopics'));
  const timers = { start: () => void calls.push('timers') } as unknown as GatewayTimers;
  const parts = { index: { assertUsable: step('assertUsable') }, journal: { start: step('journal') }, projector: { start: step('projector') }, audit: { start: () => void calls.push('audit') }, timers } as unknown as GatewayParts; // prettier-ignore
  const log = { info: () => undefined, warn: () => undefined } as unknown as ServiceLogger;
  const config = { role: 'all', kafkaTopicPrefix: '', topics: 'create' } as unknown as GatewayConfig;
  const producer = { connect: step('connect') } as unknown as BatchingProducer;
  return { calls, lifecycle: new GatewayLifecycle(config, {} as KafkaClient, producer, parts, { log, lifetime }) };
}

it('starts its parts in order, the timers last', async () => {
  const { calls, lifecycle } = gateway();
  await lifecycle.onModuleInit();
  expect(calls).toEqual(['prepareTopics', 'connect', 'assertUsable', 'projector', 'audit', 'journal', 'timers']);
});

it.each(STEPS)('stopped during %s it starts nothing more', async (at) => {
  const { calls, lifecycle } = gateway(at);
  await expect(lifecycle.onModuleInit()).rejects.toThrow('the service is stopping');
  expect(calls.filter((call) => call !== 'audit')).toEqual(STEPS.slice(0, STEPS.indexOf(at) + 1));
  expect(calls.at(-1)).toBe(at);
});
