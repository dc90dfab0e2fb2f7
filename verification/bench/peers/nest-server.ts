import { Controller, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventPattern, Payload, Transport, type KafkaOptions } from '@nestjs/microservices';
import type { PartnerAAuthorization } from '@tranche/contracts';
import { platformCall } from './platform-call.js';

const topic = process.env.TOPIC ?? '';

@Controller()
class Commands {
  readonly #call = platformCall();

  @EventPattern<string>(topic)
  async take(@Payload() command: PartnerAAuthorization): Promise<void> {
    await this.#call(command);
  }
}

@Module({ controllers: [Commands] })
class PeerModule {}

/** Nest's own Kafka server with default settings reads the topic from its beginning. */
export async function run(): Promise<void> {
  const app = await NestFactory.createMicroservice<KafkaOptions>(PeerModule, {
    transport: Transport.KAFKA,
    options: {
      client: { brokers: (process.env.KAFKA_BROKERS ?? '').split(','), clientId: 'bench-peer' },
      consumer: { groupId: process.env.GROUP_ID ?? '' },
      subscribe: { fromBeginning: true },
    },
    logger: ['error', 'warn'],
  });
  await app.listen();
}
