import 'reflect-metadata';
import { runService } from '@tranche/service-kit';
import { limitConnections } from './limits/connection.controller.js';
import { limitFailures } from './limits/failure.controller.js';
import { IngestConfig } from './ingest.config.js';
import { IngestModule } from './ingest.module.js';
import { acceptNotificationBodies, MAX_BODY_BYTES } from './notification-body.controller.js';

await runService({
  name: 'notification-ingest',
  // What a request brings is carried to its record all the same.
  tracesOnlyWhenExported: true,
  Config: IngestConfig,
  module: () => IngestModule,
  port: (config) => config.port,
  managementPort: (config) => config.managementPort,
  // A GET carries everything in its first line, which counts as a header.
  limits: {
    bodyBytes: MAX_BODY_BYTES,
    headerBytes: MAX_BODY_BYTES + 16_384,
    headersTimeoutMs: 5_000,
    requestTimeoutMs: 10_000,
    keepAliveTimeoutMs: 5_000,
  },
  prepare: (app, config) => {
    limitConnections(app, config);
    acceptNotificationBodies(app);
    limitFailures(app);
  },
});
