/** The only list of apps. A test compares it with the folder and with what `tsc -b` compiles. */
import { built } from './built.mjs';

/** Each with the module and the export of its settings; those that a stack starts also with the default ports of their settings. */
const LIST = {
  'payment-gateway': { config: ['gateway.config.js', 'GatewayConfig'], ports: { managementPort: 4101 } },
  cli: { config: ['cli.config.js', 'SETTINGS'] },
  'notification-ingest': {
    config: ['ingest.config.js', 'IngestConfig'],
    ports: { port: 4020, managementPort: 4120 },
  },
  'auth-service': { config: ['auth.config.js', 'AuthConfig'], ports: { port: 4030, managementPort: 4130 } },
  'cse-token-service': { config: ['cse.config.js', 'CseConfig'], ports: { port: 4040, managementPort: 4140 } },
  operations: { config: ['operations.config.js', 'OperationsConfig'], ports: { port: 4060, managementPort: 4160 } },
  'checkout-demo': { config: ['checkout.config.js', 'CheckoutConfig'], ports: { port: 4050, managementPort: 4150 } },
  'platform-simulator': { config: ['simulator.config.js', 'SETTINGS'], ports: { port: 4010 } },
};

export const APPS = Object.keys(LIST);
/** The ports of the apps that a stack starts. */
export const SERVICES = Object.fromEntries(
  Object.entries(LIST).flatMap(([name, { ports }]) => (ports ? [[name, ports]] : [])),
);

/** The configuration class of an app; cli and platform-simulator have a list of settings. */
export async function configOf(app) {
  const [file, name] = LIST[app].config;
  return (await built(`apps/${app}/dist/${file}`))[name];
}
