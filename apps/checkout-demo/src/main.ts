import 'reflect-metadata';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runService } from '@tranche/service-kit';
import { CheckoutConfig } from './checkout.config.js';
import { CheckoutModule } from './checkout.module.js';
import { servePage } from './web/page-files.js';

const built = dirname(fileURLToPath(import.meta.url));
const folders = {
  page: join(built, '..', 'page'),
  scripts: join(built, 'page'),
  cardEncryption: dirname(createRequire(import.meta.url).resolve('@tranche/card-encryption')),
};

void runService({
  name: 'checkout-demo',
  Config: CheckoutConfig,
  module: () => CheckoutModule,
  port: (config) => config.port,
  managementPort: (config) => config.managementPort,
  limits: { bodyBytes: 16_384 },
  prepare: (app, config) => servePage(app, config, folders),
});
