import { bootstrap } from '../infra/bootstrap.mjs';
import { startInfrastructure } from '../infra/infrastructure.mjs';
import { wholeNumber } from './values.mjs';
import { INFRASTRUCTURE } from './variables.mjs';

export const description = 'figures of ours and of its peers, taken in one run on a real Kafka and a real Redis';

export const positionals = {
  name: 'NAME',
  help: 'what is measured',
  choices: ['gateway', 'ingest', 'journal', 'keys', 'memory', 'rebuild', 'texts', 'tokens'],
  required: true,
};

export const options = {
  only: { value: 'PART', help: 'only the parts whose names begin so' },
  commands: { value: 'N', help: 'how many commands a part sends, where it is told', check: wholeNumber({ min: 1 }) },
  json: { help: 'a JSON line for each row, and one for all of them' },
  strict: { help: 'a target that is not met is a failure' },
};

export const variables = INFRASTRUCTURE;
export const exitCodes = { 1: 'it could not be measured, or with --strict a target is not met' };

const MAIN = 'verification/dist/bench/main.js';
const WRONG_USE = 2;
/** This one only computes. */
const WITHOUT_INFRASTRUCTURE = 'texts';

export async function run({ options: { json }, args, held, log }) {
  await bootstrap({ held, log });
  const start = (more, options) => held.start(process.execPath, [MAIN, ...args, ...more], options).exited;
  const refusal = [];
  if ((await start(['--check'], { onLine: (line) => refusal.push(line.trim()) })) !== 0) {
    console.error(`npm run bench: ${refusal[0]} ${refusal.slice(1).join(', ')}`);
    return WRONG_USE;
  }
  const env = args.includes(WITHOUT_INFRASTRUCTURE) ? {} : await infrastructure({ held, log });
  // Figures go to stdout; progress, warnings and errors go to stderr.
  const isFigure = json ? (line) => line.startsWith('{') : (line) => !/^\[ *\d+ s\] /.test(line);
  const onLine = (line) => (isFigure(line) ? console.log(line) : console.error(line));
  const outcome = await start([], { env: { ...process.env, ...env }, onLine });
  return typeof outcome === 'number' ? outcome : 1;
}

async function infrastructure(use) {
  const { brokers, redisUrl } = await startInfrastructure(use);
  return { KAFKA_BROKERS: brokers, REDIS_URL: redisUrl };
}
