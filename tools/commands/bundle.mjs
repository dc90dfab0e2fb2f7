import { APPS } from '../infra/apps.mjs';
import { buildClassicScript, bundleServices, CLASSIC_SCRIPT } from '../infra/bundles.mjs';
import { requireBuilt } from '../infra/built.mjs';
import { buildConsole } from '../infra/console.mjs';

export const description =
  'makes one file of each app that was compiled, the classic script of the card library and the page of operations';

export async function run({ log }) {
  requireBuilt('apps/payment-gateway/dist/main.js', 'libs/card-encryption/dist/index.js');
  for (const name of await bundleServices(APPS)) log(`apps/${name}/dist/service.js is made`);
  if (await buildConsole()) log('apps/operations-console/dist/page is made');
  if (await buildClassicScript()) log(`${CLASSIC_SCRIPT} is made`);
}
