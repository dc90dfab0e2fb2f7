import { bundleServices } from '../infra/bundles.mjs';
import { requireBuilt } from '../infra/built.mjs';

export const description = 'makes apps/NAME/dist/service.js, one file, of each app that was compiled';

export async function run({ log }) {
  requireBuilt('apps/payment-gateway/dist/main.js');
  for (const name of await bundleServices()) log(`apps/${name}/dist/service.js is made`);
}
