import { readdirSync, readFileSync } from 'node:fs';
import { APPS } from './apps.mjs';

it.each([
  ['the folder', () => readdirSync('apps')],
  [
    'what `tsc -b` compiles',
    () => [...readFileSync('tsconfig.json', 'utf8').matchAll(/"\.\/apps\/([^"]+)"/g)].map(([, name]) => name),
  ],
  ['what the SBOM lists', () => JSON.parse(readFileSync('package.json', 'utf8')).scripts.sbom.match(/(?<=apps\/)\S+/g)],
])('the apps that are bundled are those of %s', (_, names) => {
  expect([...APPS].sort()).toEqual(names().sort());
});
