import { Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import { topicsOf } from '@tranche/contracts';
import { BatchingProducer, type KafkaClient } from '@tranche/kafka';
import { InjectKafkaClient, KafkaModule, kafkaOptionsOf } from '@tranche/kafka/nest';
import { Health, Metrics, SERVICE_PARTS, ServiceLogger } from '@tranche/service-kit';
import { GatewayConfig } from './gateway.config.js';

/** Provides one Kafka client and one producer. It checks the topics and connects the producer before any other part of the gateway starts. */
const Kafka = KafkaModule.forRootAsync({
  inject: [GatewayConfig, ...SERVICE_PARTS],
  useFactory: kafkaOptionsOf({ clientId: 'payment-gateway', topics: topicsOf('payment-gateway') }),
});

/** Kafka, and where its readers and consumers report. */
@Injectable()
export class KafkaParts {
  constructor(
    @InjectKafkaClient() readonly client: KafkaClient,
    readonly producer: BatchingProducer,
    readonly log: ServiceLogger,
    readonly metrics: Metrics,
    readonly health: Health,
  ) {}
}

/**
 * Sends what publishers wrote: forwarded commands and dead letters. Kafka may refuse it again and again (a missing right), and each refusal replaces
 * the connection; the journal's records and the events have another one.
 */
@Injectable()
export class RelayProducer extends BatchingProducer implements OnApplicationShutdown {
  constructor({ client, log, metrics }: KafkaParts) {
    super({ client, log, metrics: metrics.registry });
  }

  onApplicationShutdown(): Promise<void> {
    return this.close();
  }
}

/** Sends one request at a time. A caller gets the answer of a request that starts after its call, so the answer is never older than the call. */
export class NextAnswer<T> {
  #current: Promise<unknown> = Promise.resolve();
  #next?: Promise<T>;

  constructor(private readonly question: () => Promise<T>) {}

  ask(): Promise<T> {
    this.#next ??= this.#afterCurrent();
    return this.#next;
  }

  async #afterCurrent(): Promise<T> {
    await this.#current.catch(() => undefined);
    this.#next = undefined;
    const answer = this.question();
    this.#current = answer;
    return answer;
  }
}

@Module({ imports: [Kafka], providers: [KafkaParts, RelayProducer], exports: [Kafka, KafkaParts, RelayProducer] })
export class GatewayKafkaModule {}
