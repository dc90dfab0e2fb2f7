import type { Server } from 'node:http';
import { Module } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { ServiceDefinition } from '@tranche/service-kit';
import { AdmissionModule } from './admission/admission.module.js';
import { KeyProblemFilter } from './admission/key-problem.filter.js';
import { CseConfig } from './cse.config.js';
import { MAX_BODY_BYTES } from './keys/key-request.pipe.js';
import { KeysModule } from './keys/keys.module.js';
import { routedPath } from './keys/paths.js';

@Module({ imports: [AdmissionModule, KeysModule] })
export class CseModule {}

export const cseTokenService: ServiceDefinition<CseConfig> = {
  name: 'cse-token-service',
  tracesOnlyWhenExported: true,
  Config: CseConfig,
  module: () => CseModule,
  port: (config) => config.port,
  managementPort: (config) => config.managementPort,
  // The route's pipe reads bodies, after the guards.
  limits: { bodyBytes: MAX_BODY_BYTES, incomingBytes: Infinity, headerBytes: 8_192 },
  // A browser's trace is not continued.
  http: { rewriteUrl: routedPath, continuesTraces: false },
  prepare,
};

function prepare(app: NestFastifyApplication): void {
  app.useGlobalFilters(app.get(KeyProblemFilter));
  const fastify = app.getHttpAdapter().getInstance();
  // Bodies must not be read before the guards have run; the route's pipe reads them.
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
  // Node would answer an unknown `Expect` itself, without limits and metrics.
  const server: Server = app.getHttpServer();
  server.on('checkExpectation', (request, response) => fastify.routing(request, response));
}
