import { createClient } from 'redis';
import { encodeCloudEvent, NOTIFICATION_TYPE, orderKey } from '@tranche/contracts';
import { BatchingProducer, createKafkaClient } from '@tranche/kafka';
import { equalHash, platformHash } from '@tranche/platform';
import { silentLog } from '@tranche/runtime';
import {
  Body,
  Controller,
  ForbiddenException,
  Get,
  Header,
  HttpCode,
  Inject,
  Module,
  Post,
  Query,
  Res,
  ValidationPipe,
  type Provider,
  type Type,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { IsOptional, IsString, Length, Matches } from 'class-validator';
import { MERCHANT } from '../commands.js';

type Parameters = Record<string, string>;

const { ANSWER = '', HEADERS = '{}', KAFKA_BROKERS = '', TOPIC = '', PORT } = process.env;
const { REDIS_URL = '', REDIS_KEY = '', ACCOUNT = '', VALUE = '' } = process.env;

@Controller()
class Health {
  @Get('health')
  health(): string {
    return 'OK';
  }
}

/** Serves an ordinary Nest application on Fastify, as Nest's documentation shows it, on PORT. */
async function serve(controller: Type, providers: Provider[] = []): Promise<NestFastifyApplication> {
  @Module({ controllers: [Health, controller], providers })
  class PeerModule {}
  const logger = ['error' as const, 'warn' as const];
  return NestFactory.create<NestFastifyApplication>(PeerModule, new FastifyAdapter(), { logger });
}

const listen = (app: NestFastifyApplication) => app.listen(Number(PORT), '127.0.0.1');

const PRODUCER = Symbol('BatchingProducer');

async function connectedProducer(): Promise<BatchingProducer> {
  const client = createKafkaClient({ brokers: KAFKA_BROKERS.split(','), clientId: 'bench-peer' }, silentLog);
  const producer = new BatchingProducer({ client, log: silentLog });
  await producer.connect();
  return producer;
}

/**
 * Does the least that a webhook must: it verifies HASH and awaits the same batched produce with acks=all. It has no limits, log lines,
 * metrics, content hash or checks of the parameters. It builds the same record as ours by hand.
 */
@Controller('notifications')
class Webhook {
  constructor(@Inject(PRODUCER) private readonly producer: BatchingProducer) {}

  @Get()
  @Header('content-type', 'text/plain')
  byGet(@Query() parameters: Parameters): Promise<string> {
    return this.take(parameters);
  }

  @Post()
  @HttpCode(200)
  @Header('content-type', 'text/plain')
  byPost(@Body() parameters: Parameters): Promise<string> {
    return this.take(parameters);
  }

  private async take(all: Parameters): Promise<string> {
    const { HASH: id = '', ...parameters } = all;
    const { ORDERID: orderId = '', ...p } = parameters;
    const isSigned = equalHash(platformHash(MERCHANT.accountKey, Object.entries(all)), id);
    if (p.IDENTIFIER !== MERCHANT.identifier || !isSigned) throw new ForbiddenException();
    const key = orderKey(MERCHANT.merchant, orderId);
    const of = { id, source: 'bench-peer', type: NOTIFICATION_TYPE, time: new Date().toISOString(), subject: key };
    const data = {
      ...{ merchant: MERCHANT.merchant, orderId, identifier: p.IDENTIFIER, operationType: p.OPERATIONTYPE },
      ...{ transactionId: p.TRANSACTIONID, execCode: p.EXECCODE, amount: Number(p.AMOUNT), currency: p.CURRENCY },
      ...{ message: p.MESSAGE, descriptor: p.DESCRIPTOR, language: p.LANGUAGE, extraData: p.EXTRADATA },
      ...{ parameters, flags: [], receivedAt: of.time },
    };
    await this.producer.send({ topic: TOPIC, key, ...encodeCloudEvent({ ...of, data }) });
    return 'OK';
  }
}

export async function nestWebhook(): Promise<void> {
  await listen(await serve(Webhook, [{ provide: PRODUCER, useFactory: connectedProducer }]));
}

const REDIS = Symbol('Redis');
const keyOf = (account: string) => `${REDIS_KEY}:${account}`;

async function connectedRedis() {
  const redis = await createClient({ url: REDIS_URL }).connect();
  await redis.set(keyOf(ACCOUNT), VALUE, { expiration: { type: 'EX', value: 3_600 } });
  return redis;
}

class TokenRequest {
  @IsString()
  @Length(1, 64)
  account: string;

  @IsOptional()
  @Matches(/^[\w-]{1,64}$/)
  refused?: string;
}

@Controller()
class Tokens {
  constructor(@Inject(REDIS) private readonly redis: Awaited<ReturnType<typeof connectedRedis>>) {}

  @Post('v1/tokens')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  @Header('content-type', 'application/json; charset=utf-8')
  token(@Body() { account }: TokenRequest): Promise<string | null> {
    return this.redis.get(keyOf(account));
  }
}

export async function nestRedisGet(): Promise<void> {
  const app = await serve(Tokens, [{ provide: REDIS, useFactory: connectedRedis }]);
  app.useGlobalPipes(new ValidationPipe({ transform: true, whitelist: true, forbidNonWhitelisted: true }));
  await listen(app);
}

interface Reply {
  headers(values: Record<string, string>): Reply;
}

const headers = JSON.parse(HEADERS) as Record<string, string>;

@Controller()
class Keys {
  @Post('v1/cse-keys')
  @HttpCode(200)
  @Header('content-type', 'application/json; charset=utf-8')
  key(@Body() _request: unknown, @Res({ passthrough: true }) reply: Reply): string {
    reply.headers(headers);
    return ANSWER;
  }
}

export async function nestConstant(): Promise<void> {
  await listen(await serve(Keys));
}
