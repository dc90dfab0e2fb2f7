import { readFileSync } from 'node:fs';
import { buildClassicScript, CLASSIC_SCRIPT, ES_MODULE, integrity } from '../infra/classic-script.mjs';
import { requireBuilt } from '../infra/built.mjs';

export const description = 'makes the classic script of libs/card-encryption from its built module';
export const options = { integrity: { help: 'prints the `integrity` attribute of both files, a line each' } };

export async function run({ options: { integrity: isAsked } }) {
  requireBuilt(ES_MODULE);
  await buildClassicScript();
  if (isAsked) for (const file of [ES_MODULE, CLASSIC_SCRIPT]) console.log(`${integrity(readFileSync(file))}  ${file}`);
}
