/**
 * `npm run faults -- --simulated [--runs N] [--seed S]`: seeded worlds over the real cores; `-- --mutants [--only NAME]`: planted bugs that these
 * worlds must find. `--json`: the last line is one JSON object. Ends with 1 if anything happened that never must.
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bootstrap } from './bootstrap.mjs';
import { runTool } from './processes.mjs';
import { createLog } from './progress.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const { values: options } = parseArgs({
  options: {
    simulated: { type: 'boolean', default: false },
    mutants: { type: 'boolean', default: false },
    only: { type: 'string' },
    runs: { type: 'string' },
    seed: { type: 'string' },
    workers: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});

if (!options.simulated && !options.mutants) {
  console.error(
    'There are two modes: --simulated (seeded worlds over the real cores) and --mutants (planted bugs that these worlds must find).',
  );
  process.exit(2);
}

await runTool(async ({ held }) => {
  await bootstrap({ held, log: createLog() });
  const onLine = (line) => (options.json && !line.startsWith('{"') ? console.error(line) : console.log(line));
  const outcome = await held.start(process.execPath, ['faults/dist/main.js', ...process.argv.slice(2)], { onLine }).exited;
  return typeof outcome === 'number' ? outcome : 1;
});
