import { readdirSync, readFileSync } from 'node:fs';
import { APPS } from './apps.mjs';

/** A page runs in browsers: the service that serves it is bundled. */
const isPage = (name) => readFileSync(`apps/${name}/package.json`, 'utf8').includes('"type:page"');

it.each([
  ['the folder', () => readdirSync('apps').filter((name) => !isPage(name))],
  [
    'what `tsc -b` compiles',
    () =>
      [...readFileSync('tsconfig.json', 'utf8').matchAll(/"\.\/apps\/([^"]+)"/g)]
        .map(([, name]) => name)
        .filter((name) => !isPage(name)),
  ],
  ['what the SBOM lists', () => JSON.parse(readFileSync('package.json', 'utf8')).scripts.sbom.match(/(?<=apps\/)\S+/g)],
])('the apps that are bundled are those of %s', (_, names) => {
  expect([...APPS].sort()).toEqual(names().sort());
});
