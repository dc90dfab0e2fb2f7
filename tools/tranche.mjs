/**
 * The one entry of the tools: `node tools/tranche.mjs NAME …`; package.json has a script for each command that people use. Neither this file
 * nor a command loads a package before its story begins: from a fresh clone there is none yet.
 */
import { fileURLToPath } from 'node:url';
import { main } from './commands/main.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
await main(process.argv.slice(2));
