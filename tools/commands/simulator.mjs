import { bootstrap } from '../infra/bootstrap.mjs';
import { Expected } from '../infra/processes.mjs';
import { MERCHANTS_AND_ACCOUNTS } from './variables.mjs';
import { port } from './values.mjs';

export const description =
  'the platform simulator alone, until Ctrl-C; its further settings are in apps/platform-simulator/README.md';

export const variables = {
  PORT: { help: 'its HTTP port (default: 4010; 0 takes a free one and prints it)', check: port },
  ...MERCHANTS_AND_ACCOUNTS,
};

export const exitCodes = { 0: 'stopped', 1: 'the simulator ended by itself; its last lines say why' };

export const runsUntilStopped = () => true;

export async function run({ held, log }) {
  await bootstrap({ held, log });
  const simulator = held.start(process.execPath, ['apps/platform-simulator/dist/service.js'], {
    onLine: (line) => console.log(line),
  });
  const code = await simulator.exited;
  if (code !== 0) throw new Expected(`the simulator ended with ${code}`);
}
