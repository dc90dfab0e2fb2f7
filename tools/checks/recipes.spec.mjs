import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';

const DOCUMENTS = ['CONTRIBUTING.md', ...readdirSync('docs/guide').map((file) => `docs/guide/${file}`)];
const FOLDERS = ['apps', 'libs', 'tools', 'verification', 'deploy', 'docs', 'config', 'examples'];
const files = [
  ...readdirSync('.'),
  ...FOLDERS.flatMap((folder) => readdirSync(folder, { recursive: true }).map((file) => `${folder}/${file}`)),
].filter((file) => !/(^|\/)(node_modules|dist)\//.test(file));
const sources = files.filter((file) => /^(apps|libs|tools|verification)\/.*\.(m?tsx?|mjs|json)$/.test(file) && !file.endsWith('recipes.spec.mjs')); // prettier-ignore
const textOf = new Map(sources.map((file) => [file, readFileSync(file, 'utf8')]));
const words = new Set([...textOf.values()].join('\n').match(/[A-Za-z_]\w+/g));

/** Code within lines, each with its document. */
const snippets = DOCUMENTS.flatMap((document) =>
  [
    ...readFileSync(document, 'utf8')
      .replace(/^```[\s\S]*?^```/gm, '')
      .matchAll(/`([^`]+)`/g),
  ].map(([, code]) => [code, document]),
);
const isCode = (code) => /^(@|new |if \()/.test(code) && !code.startsWith('@tranche/');

describe('the code of recipes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tranche-recipes-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const codes = [...new Set(snippets.map(([code]) => code).filter(isCode))];
  const statementOf = (code, at) =>
    code.startsWith('@') ? `export class Recipe${at} { ${code} field?: string }` : `export function recipe${at}() { ${code.replace(/^if .*/, '$& return')}; }`; // prettier-ignore

  it('compiles', () => {
    const names = new Set(codes.flatMap((code) => [...code.matchAll(/(?:@|new |[( ])([A-Za-z]\w+)(?=\()/g)].map(([, name]) => name))); // prettier-ignore
    const imports = [...names].map((name) => {
      const [file] = [...textOf].find(([path, text]) => /^libs\/.*\/src\//.test(path) && new RegExp(`^export (?:class|function|const) ${name}\\b`, 'm').test(text)) ?? []; // prettier-ignore
      return `import { ${name} } from '${resolve(file ?? name).replace(/\.ts$/, '.js')}';`;
    });
    const order = resolve('libs/order-journal/src/state/order-state.js');
    const program = [
      ...imports,
      `import type { OrderState } from '${order}';`,
      'declare const order: OrderState, example: string;',
      ...codes.map(statementOf),
    ];
    writeFileSync(join(folder, 'recipes.ts'), program.join('\n'));
    const compilerOptions = { noEmit: true, composite: false, declaration: false, sourceMap: false, typeRoots: [resolve('node_modules/@types')] }; // prettier-ignore
    const tsconfig = { extends: resolve('tsconfig.base.json'), compilerOptions, files: ['recipes.ts'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
    const { stdout } = spawnSync(process.execPath, [resolve('node_modules/typescript7/bin/tsc'), '-p', folder], { encoding: 'utf8' }); // prettier-ignore
    expect({ codes: codes.length > 4, faults: stdout }).toEqual({ codes: true, faults: '' });
  });
});

it.each(DOCUMENTS)('%s names files that are there', (document) => {
  const named = snippets.filter(([code, from]) => from === document && /^[\w./*-]+\.(ts|mjs|json|yaml)$|^[\w-]+\/[\w./*-]+$/.test(code)); // prettier-ignore
  const known = new Set([...files, ...files.map((file) => basename(file))]);
  const isThere = (name) =>
    /NAME/.test(name) ||
    known.has(name) ||
    existsSync(name) ||
    files.some((file) => file.startsWith(name) || new RegExp(`(^|/)${name.replaceAll('.', '\\.').replaceAll('*', '.*')}$`).test(file)); // prettier-ignore
  expect(named.map(([code]) => code).filter((name) => name !== 'merchant/orderId' && !isThere(name))).toEqual([]);
});

it.each(DOCUMENTS)('%s names functions, classes, constants and settings that are there', (document) => {
  const isName = (code) => /^[A-Za-z]\w*(\.\w+)*$/.test(code) && /[a-z][A-Z]|^[A-Z]/.test(code);
  const named = snippets.filter(([code, from]) => from === document && isName(code)).map(([code]) => code);
  const examples = ['timeoutMs', 'amountCents', 'PaymentOptionX', 'vVERSION'];
  expect(named.filter((name) => !examples.includes(name) && !name.split('.').every((part) => words.has(part) || part === 'NAME' || part === 'ID'))).toEqual([]); // prettier-ignore
});
