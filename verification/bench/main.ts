/**
 * `node verification/dist/bench/main.js NAME [--option …]` runs a bench on the Kafka and Redis of KAFKA_BROKERS and REDIS_URL.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { readArguments, type Bench, type Chosen } from './bench.js';
import { gateway } from './gateway.bench.js';
import { ingest } from './ingest.bench.js';
import { journal } from './journal.bench.js';
import { keys } from './keys.bench.js';
import { withTable } from './markdown.js';
import { memory } from './memory.bench.js';
import { rebuild } from './rebuild.bench.js';
import { operations } from './operations.bench.js';
import { picture } from './picture.js';
import { print, type Row } from './report.js';
import { Stage } from './stage.js';
import { tokens } from './tokens.bench.js';

const STOP_MS = 8_000;
/** By then a broker that has just started has compiled what a measurement runs. */
const WARMING = 50_000;

const BENCHES: Bench[] = [gateway, ingest, journal, keys, memory, operations, rebuild, tokens];

for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143 })) process.once(signal, () => void stop(code));
process.exit(await run(chosen()));

function chosen(): Chosen {
  try {
    return readArguments(process.argv.slice(2), BENCHES);
  } catch (error) {
    console.error((error as Error).message);
    process.exit(2);
  }
}

/** A bench that is interrupted removes its topics and Redis keys; its child processes end with this one. */
async function stop(code: number): Promise<void> {
  console.error('stopping: taking the topics away');
  await Promise.race([Stage.removeAll().catch((error: unknown) => console.error(String(error))), setTimeout(STOP_MS)]);
  process.exit(code);
}

async function run({ name, parts, isPart, numbers, json, strict, markdown, picture: drawn }: Chosen): Promise<number> {
  const { KAFKA_BROKERS: brokers, REDIS_URL: redisUrl } = process.env;
  if (!brokers || !redisUrl) {
    console.error('KAFKA_BROKERS and REDIS_URL must be set, or use: npm run bench');
    return 1;
  }
  const log = (line: string) =>
    console.error(`[${String(Math.round(performance.now() / 1000)).padStart(3)} s] ${line}`);
  const link = drawn && markdown && relative(dirname(markdown), drawn);
  const page = (measured: readonly Row[], keepsOthers: boolean) =>
    markdown === undefined ? '' : withTable(readFileSync(markdown, 'utf8'), name, measured, keepsOthers, link);
  page([], true); // a page without a place for the table is told before an hour of measuring
  log(`warming the broker: ${WARMING} records are written and read`);
  await Stage.warmBroker({ brokers, redisUrl }, WARMING);
  const rows: Row[] = [];
  for (const part of parts) {
    log(`${name}: ${part.name}`);
    const found = await part.run({ brokers, redisUrl, log, ...numbers });
    rows.push(...found);
    if (json) found.forEach((row) => console.log(JSON.stringify(row)));
  }
  const met = rows.every((row) => row.met);
  if (json) console.log(JSON.stringify({ name, met, rows }));
  else print(rows);
  if (markdown !== undefined) writeFileSync(markdown, page(rows, isPart));
  if (drawn !== undefined) writeFileSync(drawn, picture(rows));
  return met || !strict ? 0 : 1;
}
