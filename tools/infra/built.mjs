import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Expected } from './processes.mjs';

/** @throws one line if `npm run build` has not made one of the files */
export function requireBuilt(...files) {
  const missing = files.find((file) => !existsSync(file));
  if (missing) throw new Expected(`${dirname(dirname(missing))} is not built: run \`npm run build\` first`);
}

/** Loads a module that `npm run build` makes. */
export async function built(file) {
  requireBuilt(file);
  return import(pathToFileURL(resolve(file)).href);
}

const CONFIGS = {
  'payment-gateway': ['gateway.config.js', 'GatewayConfig'],
  cli: ['cli.config.js', 'SETTINGS'],
  'notification-ingest': ['ingest.config.js', 'IngestConfig'],
  'auth-service': ['auth.config.js', 'AuthConfig'],
  'cse-token-service': ['cse.config.js', 'CseConfig'],
  'checkout-demo': ['checkout.config.js', 'CheckoutConfig'],
  'platform-simulator': ['simulator.config.js', 'SETTINGS'],
};
export const APPS = Object.keys(CONFIGS);

/** The configuration class of an app; cli and platform-simulator have a list of settings. */
export async function configOf(app) {
  const [file, name] = CONFIGS[app];
  return (await built(`apps/${app}/dist/${file}`))[name];
}
