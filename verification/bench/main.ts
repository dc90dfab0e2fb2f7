/**
 * `node verification/dist/bench/main.js NAME [--only PART] [--commands N] [--json] [--strict]` runs a bench on the Kafka and Redis of
 * KAFKA_BROKERS and REDIS_URL. `--check` only checks that there is such a bench.
 */
import { setTimeout } from 'node:timers/promises';
import { infrastructureOf, readArguments, type Chosen } from './arguments.js';
import type { Bench } from './bench.js';
import { gateway } from './gateway/gateway.bench.js';
import { ingest } from './ingest/ingest.bench.js';
import { journal } from './journal/journal.bench.js';
import { keys } from './keys/keys.bench.js';
import { memory } from './memory/memory.bench.js';
import { rebuild } from './rebuild/rebuild.bench.js';
import { table, type Row } from './report.js';
import { Stage } from './stage.js';
import { texts } from './texts/texts.bench.js';
import { tokens } from './tokens/tokens.bench.js';

const STOP_MS = 8_000;

const BENCHES: Bench[] = [gateway, ingest, journal, keys, memory, rebuild, texts, tokens];

const chosen = readArguments(process.argv.slice(2), BENCHES);
if ('fault' in chosen) {
  console.error(chosen.fault);
  process.exit(2);
}
for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143 })) process.once(signal, () => void stop(code));
process.exit(chosen.check ? 0 : await run(chosen));

/** A bench that is interrupted removes its topics and Redis keys; its child processes end with this one. */
async function stop(code: number): Promise<void> {
  console.error('stopping: taking the topics away');
  await Promise.race([Stage.removeAll().catch((error: unknown) => console.error(String(error))), setTimeout(STOP_MS)]);
  process.exit(code);
}

async function run({ bench: { name, needsNothing = false }, parts, commands, json, strict }: Chosen): Promise<number> {
  const infrastructure = needsNothing ? { brokers: '', redisUrl: '' } : infrastructureOf(process.env);
  if ('fault' in infrastructure) {
    console.error(infrastructure.fault);
    return 1;
  }
  const begun = performance.now();
  const log = (line: string) =>
    process.stderr.write(`[${((performance.now() - begun) / 1000).toFixed(0).padStart(3)} s] ${line}\n`);
  const rows: Row[] = [];
  for (const part of parts) {
    log(`${name}: ${part.name}`);
    const found = await part.run({ ...infrastructure, log, ...(commands === undefined ? {} : { commands }) });
    rows.push(...found);
    if (json) found.forEach((row) => console.log(JSON.stringify(row)));
  }
  const met = rows.every((row) => row.met);
  console.log(json ? JSON.stringify({ name, met, rows }) : table(rows));
  return met || !strict ? 0 : 1;
}
