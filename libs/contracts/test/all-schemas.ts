import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';

const folder = join(__dirname, '../schemas');
const isDay = (day: string) => new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day) === true;

/** A validator that knows all committed schemas by their `$id`. */
export function allSchemas(): Ajv2020 {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allowUnionTypes: true });
  ajv.addKeyword('x-known-values');
  ajv.addFormat('date', (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && isDay(text));
  ajv.addFormat('date-time', (text) => isDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text)));
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.json')))
    ajv.addSchema(JSON.parse(readFileSync(join(folder, file), 'utf8')) as object);
  return ajv;
}
