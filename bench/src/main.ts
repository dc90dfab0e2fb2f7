/** `node bench/dist/main.js NAME [--only PART] [--commands N] [--json] [--strict]` against the Kafka and Redis of KAFKA_BROKERS and REDIS_URL. `--check`: only whether there is such a bench. */
import { parseArgs } from 'node:util';
import type { Bench } from './bench.js';
import { gateway } from './gateway/gateway.bench.js';
import { journal } from './journal/journal.bench.js';
import { memory } from './memory/memory.bench.js';
import { rebuild } from './rebuild/rebuild.bench.js';
import { table, type Row } from './report.js';

const BENCHES: Bench[] = [gateway, journal, memory, rebuild];

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
  const asked = bench === undefined ? `no bench ${positionals[0] ?? 'without a name'}` : `no part ${options.only} of ${bench.name}`;
  const there = bench === undefined ? BENCHES.map(({ name, about }) => `${name.padEnd(8)} ${about}`) : bench.parts.map(({ name }) => name);
  console.error([`There is ${asked}. There is:`, ...there].join('\n  '));
  process.exit(2);
}
process.exit(options.check ? 0 : await run(bench, parts));

async function run({ name }: Bench, chosen: Bench['parts']): Promise<number> {
  const { KAFKA_BROKERS: brokers, REDIS_URL: redisUrl } = process.env;
  if (!brokers || !redisUrl) {
    console.error('KAFKA_BROKERS and REDIS_URL must be set, or use: npm run bench');
    return 1;
  }
  const begun = performance.now();
  const log = (line: string) => process.stderr.write(`[${((performance.now() - begun) / 1000).toFixed(0).padStart(3)} s] ${line}\n`);
  const commands = options.commands === undefined ? {} : { commands: Number(options.commands) };
  const rows: Row[] = [];
  for (const part of chosen) {
    log(`${name}: ${part.name}`);
    const found = await part.run({ brokers, redisUrl, log, ...commands });
    rows.push(...found);
    if (options.json) found.forEach((row) => console.log(JSON.stringify(row)));
  }
  const met = rows.every((row) => row.met);
  console.log(options.json ? JSON.stringify({ name, met, rows }) : table(rows));
  return met || !options.strict ? 0 : 1;
}
