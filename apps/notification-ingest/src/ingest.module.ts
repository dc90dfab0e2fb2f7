import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { TOPICS } from '@tranche/contracts';
import { KafkaModule, kafkaOptionsOf } from '@tranche/kafka/nest';
import {
  RedisModule,
  rereadFromFile,
  SERVICE_PARTS,
  ServiceLogger,
  SHORT_KEYS_WARNING,
  shortKeysOfMerchants,
  type ServiceDefinition,
} from '@tranche/service-kit';
import { FailureFilter, UnparsedRequests } from './failure.filter.js';
import { IngestConfig } from './ingest.config.js';
import { ConnectionLimits } from './limits/connection-limits.service.js';
import { FailureLimits, LimitedAddressGuard } from './limits/failure-limits.store.js';
import {
  NotificationParametersPipe,
  UnreadableNotification,
  NotificationController,
} from './notification.controller.js';
import { NotificationProducer } from './notification.producer.js';
import { NotificationService } from './notification.service.js';
import { MAX_BODY_BYTES } from './parameters-of-request.js';
import { QuarantineService } from './quarantine/quarantine.service.js';
import { BrowserReturns, ReturnController } from './return/browser-return.service.js';
import { isPathDecodable, routedPath } from './received-request.js';

const MAX_QUERY_BYTES = 65_536;
const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+\s*(?:;|$)/;

/** Everything but Kafka. */
export const WEBHOOK = {
  imports: [
    RedisModule.forRootAsync({
      inject: [IngestConfig],
      useFactory: (config: IngestConfig) => ({
        url: config.redisUrl,
        currentUrl: rereadFromFile(config, 'redisUrl'),
        name: 'failures',
      }),
    }),
  ],
  controllers: [NotificationController, ReturnController],
  providers: [
    NotificationProducer,
    NotificationService,
    NotificationParametersPipe,
    QuarantineService,
    BrowserReturns,
    FailureFilter,
    FailureLimits,
    ConnectionLimits,
    UnparsedRequests,
    { provide: APP_GUARD, useClass: LimitedAddressGuard },
  ],
};

@Module({
  ...WEBHOOK,
  imports: [
    ...WEBHOOK.imports,
    // The service's only Kafka producer. It connects before the webhook's port opens.
    KafkaModule.forRootAsync({
      inject: [IngestConfig, ...SERVICE_PARTS],
      useFactory: kafkaOptionsOf({
        clientId: 'notification-ingest',
        topics: [TOPICS.notifications, TOPICS.notificationsQuarantine],
      }),
    }),
  ],
})
class IngestModule {}

export const notificationIngest: ServiceDefinition<IngestConfig> = {
  name: 'notification-ingest',
  // We export no spans by default, but still copy the request's trace headers into its record.
  tracesOnlyWhenExported: true,
  Config: IngestConfig,
  module: () => IngestModule,
  port: (config) => config.port,
  managementPort: (config) => config.managementPort,
  // A GET sends all parameters in the request line, which Node.js counts towards the header limit.
  limits: {
    bodyBytes: MAX_BODY_BYTES,
    incomingBytes: 16 * MAX_BODY_BYTES,
    headerBytes: MAX_QUERY_BYTES + 16_384,
    headersTimeoutMs: 5_000,
    requestTimeoutMs: 10_000,
    keepAliveTimeoutMs: 5_000,
  },
  http: { rewriteUrl: routedPath, requiresHost: false },
  prepare: (app) => {
    app.useGlobalFilters(app.get(FailureFilter));
    const merchants = shortKeysOfMerchants(app.get(IngestConfig).merchants);
    if (merchants.length > 0) app.get(ServiceLogger).warn({ merchants }, SHORT_KEYS_WARNING);
    readAnyBody(app);
    refuseUndecodablePaths(app);
  },
};

/** After the body was read, so that the quarantine keeps it. */
function refuseUndecodablePaths(app: NestFastifyApplication): void {
  const fault = { unreadable: 'a percent sign in the path begins no escape of UTF-8' };
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('preHandler', ({ originalUrl }, _reply, done) =>
    done(isPathDecodable(originalUrl) ? undefined : new UnreadableNotification(fault)),
  );
}

/** Leaves each body as bytes, because HASH is verified over them. Fastify reads none of a GET, nor under a Content-Type that is none. */
function readAnyBody(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
  fastify.addHook('onRequest', (request, _reply, done) => {
    const type = request.raw.headers['content-type'];
    if (type !== undefined && !MEDIA_TYPE.test(type)) request.headers = { 'content-type': 'application/octet-stream' };
    done();
  });
  app.useBodyParser(['application/json', '*'], { bodyLimit: MAX_BODY_BYTES }, (_request, body, done) =>
    done(null, body),
  );
}
