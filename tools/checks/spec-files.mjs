import { readdirSync } from 'node:fs';

/** All spec files of the repository, in order. */
export function specFiles() {
  return ['apps', 'examples', 'libs', 'tools', 'verification']
    .flatMap((root) => readdirSync(root, { recursive: true }).map((file) => `${root}/${file}`.replaceAll('\\', '/')))
    .filter((file) => /\.spec\.(?:ts|mjs)$/.test(file) && !/\/(?:node_modules|dist)\//.test(file))
    .sort();
}
