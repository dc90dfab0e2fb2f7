import 'reflect-metadata';
import { fileURLToPath } from 'node:url';
import { runService } from '@tranche/service-kit';
import { operations } from './operations.module.js';
import { servePage } from './page/console-page.js';

const page = fileURLToPath(new URL('../../operations-console/dist/page', import.meta.url));

void runService({
  ...operations,
  prepare: async (app, config) => {
    await operations.prepare!(app, config);
    await servePage(app, config, page);
  },
});
