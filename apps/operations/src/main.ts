import 'reflect-metadata';
import { fileURLToPath } from 'node:url';
import { runService } from '@tranche/service-kit';
import { operations, takeFiles } from './operations.module.js';
import { servePage } from './page/console-page.js';

const page = fileURLToPath(new URL('../../operations-console/dist/page', import.meta.url));

void runService({
  ...operations,
  prepare(app, config) {
    takeFiles(app);
    return servePage(app, config, page);
  },
});
