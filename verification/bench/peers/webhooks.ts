import { encodeCloudEvent, type EncodedEvent, NOTIFICATION_TYPE, orderKey } from '@tranche/contracts';
import { equalHash, platformHash } from '@tranche/platform';
import { BatchingProducer, createKafkaClient } from '@tranche/kafka';
import { silentLog } from '@tranche/runtime';
import { MERCHANT } from '../commands.js';
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
} from '@nestjs/common';
import { serveNest } from './nest-app.js';

type Parameters = Record<string, string>;

/** Resolves to false if HASH is wrong, and to true when the parameters are stored. */
type Webhook = (parameters: Parameters) => Promise<boolean>;

/**
 * Does the least that a webhook must: it verifies HASH and awaits the same batched produce with acks=all. It has no limits, log lines,
 * metrics, content hash or checks of the parameters. It builds the same record as ours by hand.
 */
async function openWebhook(): Promise<Webhook> {
  const client = createKafkaClient(
    { brokers: (process.env.KAFKA_BROKERS ?? '').split(','), clientId: 'bench-peer' },
    silentLog,
  );
  const producer = new BatchingProducer({ client, log: silentLog });
  await producer.connect();
  const topic = process.env.TOPIC ?? '';

  return async (parameters) => {
    const { IDENTIFIER, ORDERID = '', HASH = '' } = parameters;
    const isSigned =
      IDENTIFIER === MERCHANT.identifier &&
      equalHash(platformHash(MERCHANT.accountKey, Object.entries(parameters)), HASH);
    if (!isSigned) return false;
    const key = orderKey(MERCHANT.merchant, ORDERID);
    await producer.send({ topic, key, ...asEvent(parameters, key) });
    return true;
  };
}

function asEvent({ HASH: id = '', ...parameters }: Parameters, subject: string): EncodedEvent {
  const time = new Date().toISOString();
  const {
    ORDERID: orderId,
    IDENTIFIER: identifier,
    OPERATIONTYPE: operationType,
    TRANSACTIONID: transactionId,
  } = parameters;
  const {
    EXECCODE: execCode,
    CURRENCY: currency,
    MESSAGE: message,
    DESCRIPTOR: descriptor,
    LANGUAGE: language,
  } = parameters;
  const data = {
    ...{
      merchant: MERCHANT.merchant,
      orderId,
      identifier,
      operationType,
      transactionId,
      execCode,
      amount: Number(parameters.AMOUNT),
    },
    ...{
      currency,
      message,
      descriptor,
      language,
      extraData: parameters.EXTRADATA,
      parameters,
      flags: [],
      receivedAt: time,
    },
  };
  return encodeCloudEvent({ id, source: 'bench-peer', type: NOTIFICATION_TYPE, time, subject, data });
}

const WEBHOOK = Symbol('Webhook');

@Controller()
class NotificationController {
  constructor(@Inject(WEBHOOK) private readonly webhook: Webhook) {}

  @Get('health')
  health(): string {
    return 'OK';
  }

  @Get('notifications')
  @Header('content-type', 'text/plain')
  byGet(@Query() parameters: Parameters): Promise<string> {
    return this.take(parameters);
  }

  @Post('notifications')
  @HttpCode(200)
  @Header('content-type', 'text/plain')
  byPost(@Body() parameters: Parameters): Promise<string> {
    return this.take(parameters);
  }

  private async take(parameters: Parameters): Promise<string> {
    if (!(await this.webhook(parameters))) throw new ForbiddenException();
    return 'OK';
  }
}

@Module({ controllers: [NotificationController], providers: [{ provide: WEBHOOK, useFactory: openWebhook }] })
class PeerModule {}

export function nestWebhook(): Promise<void> {
  return serveNest(PeerModule);
}
