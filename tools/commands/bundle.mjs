import { existsSync } from 'node:fs';
import { bundleServices } from '../infra/bundles.mjs';
import { Expected } from '../infra/processes.mjs';
import { TEMPORARY } from './variables.mjs';

export const description = 'makes apps/NAME/dist/service.js, one file, of each app that was compiled';
export const variables = TEMPORARY;

export async function run({ log }) {
  if (!existsSync('apps/payment-gateway/dist/main.js'))
    throw new Expected('the apps are not compiled: run `npm run build`');
  for (const name of await bundleServices()) log(`apps/${name}/dist/service.js is made`);
}
