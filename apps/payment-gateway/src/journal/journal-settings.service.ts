import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { TOPICS } from '@tranche/contracts';
import { checkTopics, type KafkaClient } from '@tranche/kafka';
import { InjectKafkaClient } from '@tranche/kafka/nest';
import { errorText } from '@tranche/runtime';
import { ServiceLogger } from '@tranche/service-kit';
import { GatewayConfig } from '../gateway.config.js';
import { CommandGate } from './command-gate.service.js';

const ASK_EVERY_MS = 60_000;

/** Checks the journal's topic every minute by the rules of the start. While a setting could lose records, no commands are taken (R1). */
@Injectable()
export class JournalSettings implements OnApplicationBootstrap, OnModuleDestroy {
  #timer?: NodeJS.Timeout;

  constructor(
    private readonly config: GatewayConfig,
    @InjectKafkaClient() private readonly client: KafkaClient,
    private readonly commandGate: CommandGate,
    private readonly log: ServiceLogger,
  ) {}

  onApplicationBootstrap(): void {
    this.#timer = setInterval(() => void this.look(), ASK_EVERY_MS);
  }

  onModuleDestroy(): void {
    clearInterval(this.#timer);
  }

  /** Never rejects: an unreachable Kafka is reported by its connection. */
  async look(): Promise<void> {
    const { kafkaTopicPrefix: prefix, topics } = this.config;
    try {
      const found = await checkTopics(this.client, {
        prefix,
        definitions: [TOPICS.journal],
        production: topics === 'check',
      });
      const faults = found
        .filter(({ severity }) => severity === 'fault')
        .map(({ topic, message }) => `${topic} ${message}`);
      this.commandGate.report('journal settings', faults.length === 0 ? undefined : faults.join('; '));
    } catch (error) {
      this.log.debug({ error: errorText(error) }, 'Kafka could not be asked for the settings of the journal');
    }
  }
}
