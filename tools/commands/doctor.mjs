import { machineChecks } from '../checks/machine.mjs';
import { cardLines } from '../demo/test-cards.mjs';
import { oneOf } from './values.mjs';
import { CHROMIUM, DATABASE, INFRASTRUCTURE, PORT_OFFSET } from './variables.mjs';

const SERVICES = ['payment-gateway', 'notification-ingest', 'auth-service', 'cse-token-service'];
/** The services end with the same code if their settings are wrong. */
const EXIT_CONFIG = 78;

export const description = 'what is missing or misconfigured here, one line each with what to do';
export const options = {
  production: {
    help: 'checks the variables, and files that they name, as production mode does; and topics and Redis where they can be reached',
  },
  service: {
    value: 'NAME',
    help: 'with --production: whose environment it is, all services by default',
    check: oneOf(SERVICES),
  },
  json: { help: 'prints one JSON object' },
};

/** The checks below report on these files, so the variables have no check of their own. */
export const variables = {
  ...INFRASTRUCTURE,
  ...DATABASE,
  ...CHROMIUM,
  ...PORT_OFFSET,
  MERCHANTS_FILE: { help: 'merchants to be checked (default: config/merchants.demo.json)' },
  ACCOUNTS_FILE: { help: 'accounts to be checked (default: config/accounts.demo.json)' },
};

export const exitCodes = {
  0: 'nothing that is needed is missing, or wrong for production',
  1: 'something is missing',
  [EXIT_CONFIG]: 'with --production: something is wrong for production',
};

export const fault = ({ options: { production, service } }) =>
  service !== undefined && !production ? '--service goes with --production' : undefined;

export async function run({ options: { json, production, service } }) {
  if (production) return checkProduction(service === undefined ? SERVICES : [service], json);
  const checks = await machineChecks();
  const ok = checks.every(isWell);
  if (json) console.log(JSON.stringify({ checks, ok }));
  else
    console.log(
      [...checks.map(line), '', 'npm run demo -- --keep: a checkout to try, with these cards', ...cardLines].join('\n'),
    );
  return ok ? 0 : 1;
}

async function checkProduction(services, json) {
  const { productionChecks } = await import('../checks/production.mjs');
  const checks = await productionChecks(services, process.env);
  const ok = checks.every(isWell);
  const wrong = checks.filter((check) => !isWell(check)).length;
  const summary = ok ? 'fit for production' : `not fit for production: ${wrong} to correct`;
  console.log(json ? JSON.stringify({ checks, ok }) : [...checks.map(line), '', summary].join('\n'));
  return ok ? 0 : EXIT_CONFIG;
}

function line({ name, fault, required }) {
  return `${fault ? (required ? 'MISSING' : 'note   ') : 'ok     '}  ${[name, fault].filter(Boolean).join(': ')}`;
}

function isWell({ fault, required }) {
  return !fault || !required;
}
