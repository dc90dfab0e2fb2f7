import { createLogger, Metrics } from '@tranche/service-kit';
import type { Clock } from '../clock.js';
import type { DecisionTopic } from '../decisions/decision-topic.service.js';
import { ProposalGauges } from './proposal-gauges.service.js';

const HOUR_MS = 3_600_000;
const log = createLogger({ name: 'spec', destination: { write: () => undefined } });

it('counts open proposals by merchant, with the age of the oldest and the end of the first', async () => {
  let nowMs = 30 * HOUR_MS;
  const proposed = (merchant: string, atHour: number, expiresAtHour: number, state = 'open') => ({
    ...{ state, subject: { merchant } },
    proposedAt: new Date(atHour * HOUR_MS).toISOString(),
    expiresAt: new Date(expiresAtHour * HOUR_MS).toISOString(),
  });
  let all = [
    proposed('shop-fr', 28, 52),
    proposed('shop-fr', 20, 44),
    proposed('shop-es', 29, 31),
    proposed('shop-es', 10, 34, 'approved'),
  ];
  const topic = { current: () => Promise.resolve({ all: () => all }) };
  const metrics = new Metrics('spec');
  const clock = { nowMs: () => nowMs };
  const gauges = new ProposalGauges(topic as unknown as DecisionTopic, clock as Clock, log, metrics);
  const measured = async () => {
    await gauges.poll();
    const lines = (await metrics.registry.metrics()).replaceAll(',service="spec"', '').split('\n');
    return lines.filter((line) => line.startsWith('tranche_proposal')).sort();
  };
  expect(await measured()).toEqual([
    'tranche_proposal_expires_seconds{merchant="shop-es"} 111600',
    'tranche_proposal_expires_seconds{merchant="shop-fr"} 158400',
    'tranche_proposal_oldest_age_seconds{merchant="shop-es"} 3600',
    'tranche_proposal_oldest_age_seconds{merchant="shop-fr"} 36000',
    'tranche_proposals{merchant="shop-es"} 1',
    'tranche_proposals{merchant="shop-fr"} 2',
  ]);
  nowMs += HOUR_MS;
  all = [];
  expect(await measured()).toEqual([]);
});
