import { existsSync } from 'node:fs';
import { Expected } from '../infra/processes.mjs';
import { TEMPORARY } from './variables.mjs';

export const description = 'writes the JSON Schemas of libs/contracts from its built classes';
export const options = { check: { help: 'writes nothing, and fails if they are stale' } };
export const variables = TEMPORARY;
export const exitCodes = { 1: 'libs/contracts is not built, or with --check the schemas are stale' };

export async function run({ options: { check } }) {
  if (!existsSync('libs/contracts/dist/index.js'))
    throw new Expected('libs/contracts is not built: run `npm run build` first');
  const { schemas, writeSchemas } = await import('../checks/schemas.mjs');
  const found = await schemas();
  const { wanted, stale } = found;
  if (check && stale.length > 0)
    throw new Expected(
      `stale: ${stale.join(', ')}\nrun \`npm run build && npm run generate-schemas\` and commit libs/contracts/schemas`,
    );
  if (!check) writeSchemas(found);
  console.log(
    check
      ? `${wanted.size} schemas are current`
      : `${wanted.size} schemas in libs/contracts/schemas, ${stale.length} changed`,
  );
}
