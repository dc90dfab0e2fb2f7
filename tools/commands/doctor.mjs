import { machineChecks } from '../checks/machine.mjs';
import { cardLines } from '../demo/test-cards.mjs';
import { url } from './values.mjs';
import { CHROMIUM, INFRASTRUCTURE, PORT_OFFSET } from './variables.mjs';

export const description = 'what is missing or misconfigured here, one line each with what to do';
export const options = { json: { help: 'prints one JSON object' } };

/** Whether the files are right is told among the checks. */
export const variables = {
  ...INFRASTRUCTURE,
  ...CHROMIUM,
  ...PORT_OFFSET,
  MERCHANTS_FILE: { help: 'merchants to be checked (default: config/merchants.demo.json)' },
  ACCOUNTS_FILE: { help: 'accounts to be checked (default: config/accounts.demo.json)' },
  AUTH_URL: { help: 'the token API: each account is tried there', check: url('http:', 'https:') },
};

export const exitCodes = { 0: 'nothing that is needed is missing', 1: 'something is' };

export async function run({ options: { json } }) {
  const checks = await machineChecks();
  const ok = checks.every(isWell);
  if (json) console.log(JSON.stringify({ checks, ok }));
  else
    console.log(
      [...checks.map(line), '', 'npm run demo -- --keep: a checkout to try, with these cards', ...cardLines].join('\n'),
    );
  return ok ? 0 : 1;
}

function line({ name, fault, required }) {
  return `${fault ? (required ? 'MISSING' : 'note   ') : 'ok     '}  ${[name, fault].filter(Boolean).join(': ')}`;
}

function isWell({ fault, required }) {
  return !fault || !required;
}
