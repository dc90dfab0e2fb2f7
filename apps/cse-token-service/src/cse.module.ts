import type { Server } from 'node:http';
import { Module } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { TOPICS } from '@tranche/contracts';
import { KafkaModule, kafkaOptionsOf } from '@tranche/kafka/nest';
import { RedisModule, rereadFromFile, SERVICE_PARTS, type ServiceDefinition } from '@tranche/service-kit';
import { Admission, routedPath } from './admission/admission.service.js';
import { KeyProblemFilter } from './admission/key-problem.filter.js';
import { RequestLimits } from './admission/request-limits.store.js';
import { CseConfig } from './cse.config.js';
import { KeyProviderClient } from './key-provider/key-provider.client.js';
import { CseKeysController, MAX_BODY_BYTES } from './keys/cse-keys.controller.js';
import { EncryptionKeyService } from './keys/encryption-key.service.js';
import { KeyChangeReporter } from './keys/key-change-reporter.service.js';
import { KnownKeys } from './keys/known-keys.store.js';

@Module({
  imports: [
    KafkaModule.forRootAsync({
      inject: [CseConfig, ...SERVICE_PARTS],
      useFactory: kafkaOptionsOf({
        clientId: 'cse-token-service',
        topics: [TOPICS.cseEvents],
        announces: true,
        closeTimeoutMs: 1_000,
      }),
    }),
    // One connection for limits and known keys; none without REDIS_URL.
    RedisModule.forRootAsync({
      inject: [CseConfig],
      useFactory: (config: CseConfig) => ({
        url: config.redisUrl,
        currentUrl: rereadFromFile(config, 'redisUrl'),
        name: 'cse',
        answerMs: config.redisAnswerMs,
      }),
    }),
  ],
  controllers: [CseKeysController],
  providers: [
    Admission,
    RequestLimits,
    KeyProblemFilter,
    EncryptionKeyService,
    KeyProviderClient,
    KnownKeys,
    KeyChangeReporter,
  ],
})
class CseModule {}

export const cseTokenService: ServiceDefinition<CseConfig> = {
  name: 'cse-token-service',
  tracesOnlyWhenExported: true,
  Config: CseConfig,
  module: () => CseModule,
  port: (config) => config.port,
  managementPort: (config) => config.managementPort,
  limits: { bodyBytes: MAX_BODY_BYTES, headerBytes: 8_192 },
  // A browser's trace is not continued.
  http: { rewriteUrl: routedPath, continuesTraces: false },
  prepare,
};

function prepare(app: NestFastifyApplication): void {
  app.useGlobalFilters(app.get(KeyProblemFilter));
  app.get(Admission).guard(app);
  const fastify = app.getHttpAdapter().getInstance();
  // The route reads bodies of every type, because a card must be found in each.
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  // Node would answer an unknown `Expect` itself, without limits and metrics.
  const server: Server = app.getHttpServer();
  server.on('checkExpectation', (request, response) => fastify.routing(request, response));
}
