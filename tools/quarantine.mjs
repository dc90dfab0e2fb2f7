/**
 * `npm run quarantine -- list|reverify`: what notification-ingest refused, and its second chance after a secret was corrected. Settings are the
 * service's own (KAFKA_BROKERS, KAFKA_TOPIC_PREFIX, MERCHANTS_FILE …); see apps/notification-ingest/README.md.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { bootstrap } from './bootstrap.mjs';
import { runTool } from './processes.mjs';
import { createLog } from './progress.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

await runTool(async ({ held }) => {
  await bootstrap({ held, log: createLog() });
  // In this process group and with these streams: Ctrl-C reaches it, and what it finds can be piped on.
  const args = ['apps/notification-ingest/dist/quarantine/main.js', ...process.argv.slice(2)];
  const [code] = await once(spawn(process.execPath, args, { stdio: 'inherit' }), 'exit');
  return code ?? 1;
});
