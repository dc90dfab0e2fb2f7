import { Injectable } from '@nestjs/common';
import { COMMAND_TOPICS, RAILS, TOPICS, type Rail } from '@tranche/contracts';
import { KafkaServer } from '@tranche/kafka/nest';
import { SHORT_KEYS_WARNING, shortKeysOfMerchants, unsignedMerchants } from '@tranche/service-kit';
import { KafkaParts, RelayProducer } from './gateway-kafka.module.js';
import { gatewayGroup, GatewayConfig, notificationGroup } from './gateway.config.js';
import { Controls } from './decisions/controls.service.js';
import { CommandGate } from './journal/command-gate.service.js';
import { PartitionOwners } from './journal/partition-owners.service.js';
import { RailBreakers } from './platform/rail-breakers.service.js';
import { WorkObstacles } from './work-obstacles.service.js';

const CONSUMED = [...Object.values(COMMAND_TOPICS), TOPICS.notifications];

/**
 * Creates the consumers. Commands and notifications have separate groups, so that a slow call does not delay notifications. Only the group of the
 * commands moves partitions away from an instance that cannot work: to journal a notification needs Kafka alone.
 */
@Injectable()
export class KafkaServers {
  constructor(
    private readonly config: GatewayConfig,
    private readonly kafka: KafkaParts,
    private readonly relay: RelayProducer,
    private readonly owners: PartitionOwners,
    private readonly breakers: RailBreakers,
    private readonly controls: Controls,
    private readonly commandGate: CommandGate,
    private readonly obstacles: WorkObstacles,
  ) {}

  /** A rail's topic is not fetched while its breaker is open or an operator has stopped it; no command topic is while `CommandGate` has an obstacle. */
  create(): KafkaServer[] {
    const { config, kafka } = this;
    this.#warnOfUnsignedCommands();
    this.#warnOfShortKeys();
    const shared = {
      ...kafka,
      producer: this.relay,
      metrics: kafka.metrics.registry,
      topicPrefix: config.kafkaTopicPrefix,
      deadLetterTopic: TOPICS.commandsDeadLetter.name,
      inFlight: config.inFlight,
      // A longer record was compressed, and no dead letter could hold it.
      maxRecordBytes: Object.fromEntries(CONSUMED.map(({ name, maxMessageBytes }) => [name, maxMessageBytes])),
      partitions: Object.fromEntries([...CONSUMED, TOPICS.journal].map(({ name, partitions }) => [name, partitions])),
      drainTimeoutMs: config.drainTimeoutMs,
      sessionTimeoutMs: config.kafkaSessionTimeoutMs,
      // The obstacles of a waiting command (Redis unreachable, index being built) end soon, so retries stay frequent.
      maxRetryDelayMs: 2_000,
    };
    const groupId = gatewayGroup(config);
    const topics = Object.values(COMMAND_TOPICS).map(({ name }) => name);
    const inFlightPerTopic = Object.fromEntries(topics.map((name) => [name, config.railInFlight]));
    const canWork = () => this.obstacles.canWork;
    const commands = new KafkaServer({ ...shared, groupId, topics, inFlightPerTopic, owned: this.owners, canWork });
    const blocked = new Set<Rail>();
    const place = () => {
      const isPaused = (rail: Rail) =>
        blocked.has(rail) || this.controls.stopOf(rail) !== undefined || this.commandGate.blockedBecause !== undefined;
      const namesOf = (rails: readonly Rail[]) => rails.map((rail) => COMMAND_TOPICS[rail].name);
      commands.pauseTopics(namesOf(RAILS.filter(isPaused)));
      commands.resumeTopics(namesOf(RAILS.filter((rail) => !isPaused(rail))));
    };
    this.breakers.onChange((rail, isBlocked) => {
      if (isBlocked) blocked.add(rail);
      else blocked.delete(rail);
      place();
    });
    this.commandGate.onChange(place);
    this.controls.onChange(place);
    this.controls.joinAs(() => commands.memberId);
    return [
      commands,
      new KafkaServer({ ...shared, groupId: notificationGroup(config), topics: [TOPICS.notifications.name] }),
    ];
  }

  #warnOfUnsignedCommands(): void {
    const merchants = unsignedMerchants(this.config.merchants);
    if (merchants.length === 0) return;
    this.kafka.log.warn(
      { merchants },
      'Who may write a command topic may command for these merchants: their commands need no signature (TOPICS=check refuses that)',
    );
  }

  #warnOfShortKeys(): void {
    const merchants = shortKeysOfMerchants(this.config.merchants);
    if (merchants.length > 0) this.kafka.log.warn({ merchants }, SHORT_KEYS_WARNING);
  }
}
