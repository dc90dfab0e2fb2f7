import { readFileSync } from 'node:fs';

/** JSON of a file that people wrote: the byte order mark of their editor is no content. */
export function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8').replace(/^\ufeff/, ''));
}
