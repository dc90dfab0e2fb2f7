/** `node verification/dist/bench/main.js NAME [--only PART] [--commands N] [--json] [--strict]` against the Kafka and Redis of KAFKA_BROKERS and REDIS_URL. `--check`: only whether there is such a bench. */
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Bench } from './bench.js';
import { gateway } from './gateway/gateway.bench.js';
import { ingest } from './ingest/ingest.bench.js';
import { journal } from './journal/journal.bench.js';
import { keys } from './keys/keys.bench.js';
import { memory } from './memory/memory.bench.js';
import { orders } from './orders/orders.bench.js';
import { rebuild } from './rebuild/rebuild.bench.js';
import { table, type Row } from './report.js';
import { Stage } from './stage.js';
import { tokens } from './tokens/tokens.bench.js';

const STOP_MS = 8_000;

const BENCHES: Bench[] = [gateway, ingest, journal, keys, memory, orders, rebuild, tokens];

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    commands: { type: 'string' },
    json: { type: 'boolean', default: false },
    strict: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
  },
});
const bench = BENCHES.find(({ name }) => name === positionals[0]);
const parts = bench?.parts.filter(({ name }) => options.only === undefined || name.startsWith(options.only)) ?? [];

if (bench === undefined || parts.length === 0) {
  const asked =
    bench === undefined ? `no bench ${positionals[0] ?? 'without a name'}` : `no part ${options.only} of ${bench.name}`;
  const there =
    bench === undefined
      ? BENCHES.map(({ name, about }) => `${name.padEnd(8)} ${about}`)
      : bench.parts.map(({ name }) => name);
  console.error([`There is ${asked}. There is:`, ...there].join('\n  '));
  process.exit(2);
}
const commands = options.commands === undefined ? undefined : Number(options.commands);
if (positionals.length > 1 || (commands !== undefined && !(Number.isInteger(commands) && commands > 0))) {
  console.error(
    positionals.length > 1
      ? `one bench at a time, not ${positionals.join(' ')}`
      : `--commands must be a whole number, not ${options.commands}`,
  );
  process.exit(2);
}
for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143 })) process.once(signal, () => void stop(code));
process.exit(options.check ? 0 : await run(bench, parts));

/** Whoever ends a bench early gets a clean Kafka and Redis too; the processes go with this one. */
async function stop(code: number): Promise<void> {
  console.error('stopping: taking the topics away');
  await Promise.race([Stage.removeAll().catch((error: unknown) => console.error(String(error))), setTimeout(STOP_MS)]);
  process.exit(code);
}

async function run({ name }: Bench, chosen: Bench['parts']): Promise<number> {
  const { KAFKA_BROKERS: brokers, REDIS_URL: redisUrl } = process.env;
  if (!brokers || !redisUrl) {
    console.error('KAFKA_BROKERS and REDIS_URL must be set, or use: npm run bench');
    return 1;
  }
  const begun = performance.now();
  const log = (line: string) =>
    process.stderr.write(`[${((performance.now() - begun) / 1000).toFixed(0).padStart(3)} s] ${line}\n`);
  const rows: Row[] = [];
  for (const part of chosen) {
    log(`${name}: ${part.name}`);
    const found = await part.run({ brokers, redisUrl, log, ...(commands === undefined ? {} : { commands }) });
    rows.push(...found);
    if (options.json) found.forEach((row) => console.log(JSON.stringify(row)));
  }
  const met = rows.every((row) => row.met);
  console.log(options.json ? JSON.stringify({ name, met, rows }) : table(rows));
  return met || !options.strict ? 0 : 1;
}
