import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

let root;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'bundles-'));
  mkdirSync(join(root, 'apps/shop/dist'), { recursive: true });
  symlinkSync(resolve('node_modules'), join(root, 'node_modules'));
  write('package.json', '{ "type": "module" }');
  write('apps/shop/dist/main.js', "import { word } from './word.js';\nclass Shop {}\nconsole.log(Shop.name, word);\n");
  write('apps/shop/dist/word.js', "export const word = 'open';\n");
});
afterEach(() => rmSync(root, { recursive: true }));

const write = (file, text) => writeFileSync(join(root, file), text);

/** Jest cannot load an ES module that imports a native one, so each call is its own process. */
function node(code) {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim();
}

const made = () =>
  JSON.parse(
    node(`const { bundleServices } = await import(${JSON.stringify(resolve('tools/infra/bundles.mjs'))});
    console.log(JSON.stringify(await bundleServices(['shop'], { root: ${JSON.stringify(root)} })));`),
  );

it('makes one file that needs no other, and makes it again only when something in it has changed', () => {
  expect(made()).toEqual(['shop']);
  expect(made()).toEqual([]);
  rmSync(join(root, 'apps/shop/dist/main.js'));
  expect(node(`await import(${JSON.stringify(join(root, 'apps/shop/dist/service.js'))});`)).toBe('Shop open');
  expect(() => made()).toThrow(/main\.js/);
});

it('makes it again when a file deep in it is newer', () => {
  made();
  write('apps/shop/dist/word.js', "export const word = 'closed';\n");
  const later = new Date(Date.now() + 60_000);
  utimesSync(join(root, 'apps/shop/dist/word.js'), later, later);
  expect(made()).toEqual(['shop']);
  expect(node(`await import(${JSON.stringify(join(root, 'apps/shop/dist/service.js'))});`)).toBe('Shop closed');
});

it.each([
  ['whose name is written there', "import('node:os')"],
  ['whose name is known only when it runs', 'import(name)'],
])('loads a module while it runs, also when it was compiled before: %s', (_, call) => {
  const load = `const load = async (name) => (await ${call}).EOL;`;
  write('apps/shop/dist/main.js', `${load}\nvoid load('node:os').then((end) => console.log(String(end === '\\n')));\n`);
  made();
  expect(existsSync(join(root, 'apps/shop/dist/service.cache'))).toBe(true);
  expect(node(`await import(${JSON.stringify(join(root, 'apps/shop/dist/service.js'))});`)).toBe('true');
});

it.each([
  ['decodeURIComponent', '%ff'],
  ['BigInt', 'x'],
  ['JSON.parse', '{'],
  ['new URL', 'no address'],
  ['new RegExp', '('],
  ['new TextDecoder', 'no charset'],
])('leaves no call out that is there to throw: %s', (call, wrong) => {
  const sound = `const isSound = (text) => { try { ${call}(text); return true; } catch { return false; } };`;
  write('apps/shop/dist/main.js', `${sound}\nconsole.log(String(isSound(${JSON.stringify(wrong)})));\n`);
  made();
  expect(node(`await import(${JSON.stringify(join(root, 'apps/shop/dist/service.js'))});`)).toBe('false');
});
