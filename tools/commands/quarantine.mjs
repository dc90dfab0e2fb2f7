import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { bootstrap } from '../infra/bootstrap.mjs';
import { brokers, jsonFile } from './values.mjs';

export const description = 'what notification-ingest refused, and its second chance after a key was corrected';

export const positionals = {
  name: 'COMMAND',
  help: 'list shows what is in quarantine, reverify publishes what is genuine now',
  choices: ['list', 'reverify'],
  required: true,
};

export const options = {
  merchant: { value: 'NAME', help: 'only those of this merchant' },
  since: {
    value: 'TIME',
    help: 'a date (2027-01-31), a time (2027-01-31T10:00:00Z), or how long ago (90m, 24h, 7d)',
    check: time,
  },
  json: { help: 'prints JSON' },
  'dry-run': { help: 'reverify publishes nothing' },
};

/** The service has more variables; its README lists them. */
export const variables = {
  KAFKA_BROKERS: { help: 'host:port, or several with commas', check: brokers },
  KAFKA_TOPIC_PREFIX: { help: "begins the topics' names" },
  MERCHANTS_FILE: {
    help: 'merchants with their keys; apps/notification-ingest/README.md has the other settings',
    check: jsonFile,
  },
};

export const exitCodes = { 78: 'a setting of notification-ingest is wrong; a line for each says which' };

export function fault({ options: { 'dry-run': isDryRun }, positionals: [command] }) {
  return command === 'list' && isDryRun ? '--dry-run belongs to reverify' : undefined;
}

export async function run({ args, held, log }) {
  await bootstrap({ held, log });
  // The child shares our process group and streams: Ctrl-C reaches it, and its output can be piped.
  const child = spawn(process.execPath, ['apps/notification-ingest/dist/quarantine/main.js', ...args], {
    stdio: 'inherit',
  });
  const [code] = await once(child, 'exit');
  return code ?? 1;
}

/** This catches typing errors; the service checks the value itself. */
function time(text) {
  const isTime = /^(?:\d{1,6}[mhd]|\d{4}-\d{2}-\d{2}(?:T\S+)?)$/.test(text);
  return isTime ? undefined : `must be a date, a time with its zone, or 90m, 24h, 7d, not ${JSON.stringify(text)}`;
}
