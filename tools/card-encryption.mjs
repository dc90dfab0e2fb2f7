/**
 * `node tools/card-encryption.mjs`: makes the classic script of libs/card-encryption (`npm run build` first). `--integrity` prints the
 * `integrity` attribute of both files, a line each.
 */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildClassicScript, CLASSIC_SCRIPT, ES_MODULE, integrity } from './classic-script.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const { values: options } = parseArgs({ options: { integrity: { type: 'boolean', default: false } } });

if (!existsSync(ES_MODULE)) {
  console.error('libs/card-encryption is not built: run `npm run build` first');
  process.exit(1);
}
await buildClassicScript();
if (options.integrity) for (const file of [ES_MODULE, CLASSIC_SCRIPT]) console.log(`${integrity(readFileSync(file))}  ${file}`);
