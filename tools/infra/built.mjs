import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Expected } from './processes.mjs';

/** @throws one line if `npm run build` has not made one of the files */
export function requireBuilt(...files) {
  const missing = files.find((file) => !existsSync(file));
  if (missing) throw new Expected(`${dirname(dirname(missing))} is not built: run \`npm run build\` first`);
}

/** Loads a module that `npm run build` makes. */
export async function built(file) {
  requireBuilt(file);
  return import(pathToFileURL(resolve(file)).href);
}
