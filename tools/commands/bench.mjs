import { bootstrap } from '../infra/bootstrap.mjs';
import { startDatabase, startInfrastructure } from '../infra/infrastructure.mjs';
import { javaPeers } from '../infra/java-peers.mjs';
import { ensurePackages } from '../infra/packages.mjs';
import { wholeNumber } from './values.mjs';
import { INFRASTRUCTURE } from './variables.mjs';

export const description = 'figures of ours and of its peers, taken in one run on a real Kafka and a real Redis';

export const positionals = ['gateway', 'ingest', 'journal', 'keys', 'memory', 'operations', 'rebuild', 'tokens'];

export const options = {
  only: { value: 'PART', help: 'only the parts whose names begin so' },
  commands: { value: 'N', help: 'how many commands a part sends, where it is told', check: wholeNumber({ min: 1 }) },
  turns: { value: 'N', help: 'how many turns contestants take, in place of three', check: wholeNumber({ min: 1 }) },
  profile: {
    help: 'of gateway: its hottest functions and its requests per command; writes .infra/profiles/*.cpuprofile',
  },
  markdown: {
    value: 'FILE',
    help: 'write the rows into the table of this page, such as docs/reference/performance.md',
  },
  picture: { value: 'FILE', help: 'of gateway: draw its latency-bound parts as an SVG' },
  json: { help: 'a JSON line for each row, and one for all of them' },
  strict: { help: 'a target that is not met is a failure' },
};

export const variables = INFRASTRUCTURE;
export const exitCodes = { 1: 'it could not be measured, or with --strict a target is not met' };

export async function run({ args, options: { profile }, positionals: [bench], held, log }) {
  await bootstrap({ held, log });
  const peers = bench === 'gateway' && !profile ? await javaPeers({ held, log }) : undefined;
  const { brokers, redisUrl } = await startInfrastructure({ held, log, isMeasured: true });
  if (bench === 'operations') await ensurePackages(['chromium'], { held, log });
  const database = bench === 'operations' ? await startDatabase({ held, log }) : undefined;
  const env = {
    ...{ ...process.env, KAFKA_BROKERS: brokers, REDIS_URL: redisUrl, ...(peers && { JAVA_PEERS: peers }) },
    ...(database && { DATABASE_URL: database.databaseUrl }),
  };
  // Figures go to stdout; progress, warnings and errors go to stderr.
  const onLine = (line, stream) => (stream === 'stdout' ? console.log(line) : console.error(line));
  return held.start(process.execPath, ['verification/dist/bench/main.js', ...args], { env, onLine }).exited;
}
