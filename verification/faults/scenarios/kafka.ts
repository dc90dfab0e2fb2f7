import { setTimeout as delay } from 'node:timers/promises';
import { CONDITIONS } from '../proxy.js';
import type { Scenario } from '../scenario.js';

const PATIENCE_MS = 12_000;
/** Long enough for a record to be stored, and shorter than the producer's deadline. */
const LANDS_MS = 500;

/** The record is stored, but its acknowledgement never arrives: the connection breaks. */
const landed = (['prepared', 'answer-read'] as const).map((point): Scenario => ({
  name: `produce-landed-${point === 'prepared' ? 'intent' : 'outcome'}`,
  fault: 'a produce that timed out but landed',
  async run(stage, load) {
    const gateway = await stage.readyGateway({ through: ['kafka'], failpoints: [{ point, hit: 2, do: 'stop' }] });
    load.start();
    if (await stage.stops(gateway, point, PATIENCE_MS)) {
      await stage.proxies.kafka.setConditions(CONDITIONS['half-open']);
      stage.goOn(gateway);
      await delay(LANDS_MS);
      stage.proxies.kafka.resetConnections();
      await stage.proxies.kafka.set('pass');
    }
    stage.faultEnded();
  },
}));

export const kafkaScenarios: readonly Scenario[] = [
  ...landed,
  {
    name: 'kafka-killed',
    fault: 'Kafka killed and restarted',
    needs: ['kafka'],
    weight: 2,
    async run(stage, load) {
      await stage.readyGateway();
      load.start();
      await delay(stage.random.between(500, 2_000));
      await stage.killKafka();
      await stage.infrastructure.startKafka();
      stage.faultEnded();
    },
  },
  {
    name: 'kafka-away-60-s',
    fault: 'Kafka away for 60 s',
    needs: ['kafka'],
    weight: 0,
    async run(stage, load) {
      await stage.readyGateway();
      load.start();
      await delay(2_000);
      await stage.killKafka();
      await delay(60_000);
      await stage.infrastructure.startKafka();
      stage.faultEnded();
    },
  },
];
