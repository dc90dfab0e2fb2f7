import { Module } from '@nestjs/common';
import { ServiceLogger, SHORT_KEYS_WARNING, shortKeysOfMerchants, type ServiceDefinition } from '@tranche/service-kit';
import { FailureFilter } from './failure.filter.js';
import { IngestConfig } from './ingest.config.js';
import { pathWithoutSlash } from './path-without-slash.js';
import { LimitsModule } from './limits/limits.module.js';
import { BODY_TYPES, MAX_BODY_BYTES } from './notification-parameters.pipe.js';
import { NotificationModule } from './notification.module.js';
import { ReturnModule } from './return/return.module.js';

const MAX_QUERY_BYTES = 65_536;

@Module({ imports: [NotificationModule, ReturnModule, LimitsModule], providers: [FailureFilter] })
export class IngestModule {}

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
  http: { rewriteUrl: pathWithoutSlash },
  prepare: (app) => {
    app.useGlobalFilters(app.get(FailureFilter));
    const merchants = shortKeysOfMerchants(app.get(IngestConfig).merchants);
    if (merchants.length > 0) app.get(ServiceLogger).warn({ merchants }, SHORT_KEYS_WARNING);
    // The parser leaves each body as bytes: the route's pipe decodes them, because HASH is verified over the bytes.
    app.useBodyParser(BODY_TYPES, { bodyLimit: MAX_BODY_BYTES }, (_request, body, done) => done(null, body));
  },
};
