import { bootstrap } from '../infra/bootstrap.mjs';
import { MERCHANTS_AND_ACCOUNTS } from './variables.mjs';
import { port } from './values.mjs';

export const description =
  'the platform simulator alone, until Ctrl-C; its further settings are in apps/platform-simulator/README.md';

export const variables = {
  PORT: { help: 'its HTTP port (default: 4010; 0 takes a free one and prints it)', check: port },
  ...MERCHANTS_AND_ACCOUNTS,
};

export const exitCodes = { 0: 'stopped', 1: 'it ended by itself; its last lines say why', 78: 'a setting is wrong' };

export const runsUntilStopped = () => true;

export async function run({ held, log }) {
  await bootstrap({ held, log });
  const onLine = (line) => console.log(line);
  return held.start(process.execPath, ['apps/platform-simulator/dist/service.js'], { onLine }).exited;
}
