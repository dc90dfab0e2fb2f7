import { Controller, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventPattern, type KafkaOptions, Payload, Transport } from '@nestjs/microservices';
import kafkajs from 'kafkajs';
import { Pool } from 'undici';
import { METHODS, type PartnerAAuthorization } from '@tranche/contracts';
import { authorization, requestBody } from '../commands.js';
import { loopsOf } from '../loops.js';

let done = 0;

function reportDone(): void {
  setInterval(() => process.send?.({ done }), 250);
}

const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8', accept: 'application/json' };

/** Every peer makes this plain call for a command: it signs, POSTs and reads the answer, without check, journal or event. */
function platformCall(): (command: PartnerAAuthorization) => Promise<void> {
  const pool = new Pool(process.env.PAYMENT_URL ?? '', {
    connections: Number(process.env.IN_FLIGHT ?? 12),
    pipelining: 1,
  });
  return async (command) => {
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path: METHODS.A.endpoint,
      headers,
      body: requestBody(command),
    });
    const answer = (await body.json()) as { EXECCODE?: string };
    if (statusCode !== 200 || !answer.EXECCODE?.startsWith('000'))
      throw new Error(`The platform answered ${statusCode} ${JSON.stringify(answer)}`);
    done += 1;
  };
}

/** undici alone makes COUNT calls, IN_FLIGHT at a time, without Kafka. */
export async function bareLoop(): Promise<void> {
  reportDone();
  const call = platformCall();
  const count = Number(process.env.COUNT);
  let next = 0;
  const worker = async () => {
    while (next < count) await call(authorization(next++));
  };
  await Promise.all(Array.from({ length: Number(process.env.IN_FLIGHT) }, worker));
}

const client = { brokers: (process.env.KAFKA_BROKERS ?? '').split(','), clientId: 'bench-peer' };
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
export async function nestServer(): Promise<void> {
  reportDone();
  const app = await NestFactory.createMicroservice<KafkaOptions>(PeerModule, {
    transport: Transport.KAFKA,
    options: { client, consumer: { groupId: process.env.GROUP_ID ?? '' }, subscribe: { fromBeginning: true } },
    logger: ['error', 'warn'],
  });
  await app.listen();
}

const VALUE = Buffer.alloc(500, 'x');

/** Sends by kafkajs' plain producer: each of CONCURRENT loops awaits one record at a time. Reports what was measured. */
export async function kafkajsSends(): Promise<void> {
  const kafka = new kafkajs.Kafka({ ...client, logLevel: kafkajs.logLevel.ERROR });
  const producer = kafka.producer({ allowAutoTopicCreation: false });
  await producer.connect();
  let nth = 0;
  const measured = await loopsOf(Number(process.env.CONCURRENT), async () => {
    const startedMs = performance.now();
    await producer.send({ topic, acks: -1, messages: [{ key: `key-${nth++}`, value: VALUE }] });
    return startedMs;
  });
  await producer.disconnect();
  process.send?.(measured);
  process.disconnect();
}
