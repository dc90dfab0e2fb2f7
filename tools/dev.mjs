/**
 * Entry point of all tools: `node tools/dev.mjs NAME …`; package.json has a script for each command that people use. This file and the
 * commands import packages only when a command runs: a fresh clone has none yet.
 */
import { fileURLToPath } from 'node:url';
import { main } from './commands/main.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
await main(process.argv.slice(2));
