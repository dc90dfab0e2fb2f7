/**
 * Makes the packages for npm (docs/decisions/0074): each is one tarball that brings our own libraries along, as ES modules and as CommonJS,
 * with types, source maps, schemas and licences. Native modules and kafkajs stay dependencies.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { copyTypes } from './packed-types.mjs';

const SCHEMAS = ['libs/contracts/schemas', 'libs/contracts/asyncapi.json'];
/** `modules`: entries whose ES module is a real one, for browsers and for Nest 12, which is an ES module itself. */
export const PACKAGES = {
  client: { entries: ['index', 'testing', 'nest'], modules: ['nest'], files: SCHEMAS },
  contracts: { entries: ['index'], modules: [], files: SCHEMAS },
  'card-encryption': {
    ...{ entries: ['index'], modules: ['index'] },
    files: ['libs/card-encryption/dist/card-encryption.global.js'],
  },
};
/** The imports by which libs/client/src/nest.ts uses the rest of the library. */
const IN_INDEX = /^\.\/(?:publisher|tranche)\.js$/;

/** The packages do without these: what they use of them is small (tools/infra/packed), or nothing at all. */
const STAND_INS = {
  'class-validator': resolve('tools/infra/packed/class-validator.mjs'),
  'class-transformer': resolve('tools/infra/packed/class-validator.mjs'),
  'prom-client$': resolve('tools/infra/packed/prom-client.mjs'),
  // Only the decorators of Nest need it, and Nest brings it.
  'reflect-metadata': resolve('tools/infra/packed/nothing.mjs'),
};
/** A native module, a module whose inner files we import, and the peers. All else is bundled. */
const EXTERNAL = /^(?:kafkajs|snappy|lz4-napi|@nestjs\/(?:common|core))(?:\/|$)/;
const TYPES = { esm: 'module', cjs: 'commonjs' };

/** Resolves to the path of the tarball in `folder`. `work` is an empty folder. */
export async function packLibrary(name, { folder, work }) {
  const { entries, files, modules } = PACKAGES[name];
  const dist = (format) => join(work, 'dist', format);
  const chunks = await bundle(name, entries, { dir: dist('cjs'), format: 'cjs' });
  if (modules.length > 0) await bundle(name, modules, { dir: dist('esm'), format: 'esm' });
  for (const [format, type] of Object.entries(TYPES)) {
    const declarations = entries.map((entry) => resolve(`libs/${name}/dist/${entry}.d.ts`));
    copyTypes(declarations, join(dist(format), 'types'));
    writeJson(join(dist(format), 'package.json'), { type });
  }
  for (const chunk of chunks.filter(({ isEntry, name: entry }) => isEntry && !modules.includes(entry)))
    writeFileSync(join(dist('esm'), chunk.fileName), passingOn(chunk));
  for (const file of files) cpSync(file, join(work, basename(file)), { recursive: true });
  writeFileSync(join(work, 'README.md'), withoutInnerLinks(readFileSync(`libs/${name}/README.md`, 'utf8')));
  cpSync('LICENSE', join(work, 'LICENSE'));
  const notices = licences(chunks.flatMap(({ moduleIds }) => moduleIds));
  if (notices !== '') writeFileSync(join(work, 'THIRD-PARTY-LICENSES.txt'), notices);
  writeJson(join(work, 'package.json'), manifest(name, chunks));
  mkdirSync(folder, { recursive: true });
  const args = ['pack', work, '--json', '--ignore-scripts', '--pack-destination', folder];
  const answer = execFileSync('npm', args, { cwd: work, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return join(folder, JSON.parse(answer)[0].filename);
}

/** An ES module that has what CommonJS has, so that a process has one copy. Node.js 20 also loads it in two thirds of the time. */
const passingOn = ({ fileName, exports }) =>
  `import all from '../cjs/${fileName}';\n\nexport const {\n${exports.map((name) => `  ${name},\n`).join('')}} = all;\n`;

async function bundle(name, entries, { dir, format }) {
  // The import is here because tools are loaded before packages are installed.
  const { rolldown } = await import('rolldown');
  const build = await rolldown({
    input: Object.fromEntries(entries.map((entry) => [entry, `libs/${name}/dist/${entry}.js`])),
    platform: name === 'card-encryption' ? 'browser' : 'node',
    external: EXTERNAL,
    resolve: { alias: STAND_INS },
    // Our modules and those that we bundle change nothing outside themselves when they are loaded.
    treeshake: { moduleSideEffects: false },
    plugins: [{ name: 'tranche', load: withMap, resolveId: entries.includes('index') ? undefined : fromIndex }],
  });
  try {
    const { output } = await build.write({
      ...{ dir, format, exports: 'named', minify: false, keepNames: true, sourcemap: true },
      entryFileNames: '[name].js',
      chunkFileNames: 'shared-[name].js',
      sourcemapPathTransform: (source, map) =>
        relative(resolve('.'), resolve(dirname(map), source)).replaceAll(sep, '/'),
    });
    return output.filter(({ type }) => type === 'chunk');
  } finally {
    await build.close();
  }
}

/** A real ES module takes the library's classes from its index, which is another file of the package. */
function fromIndex(id) {
  return IN_INDEX.test(id) ? { id: './index.js', external: true } : undefined;
}

/** The map of a compiled file of ours, with its source: the packages then map to TypeScript that a debugger can show. */
function withMap(file) {
  if (!existsSync(`${file}.map`) || file.includes('node_modules')) return undefined;
  const map = JSON.parse(readFileSync(`${file}.map`, 'utf8'));
  const sourcesContent = map.sources.map((source) => readFileSync(resolve(dirname(file), source), 'utf8'));
  return {
    code: readFileSync(file, 'utf8').replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n'),
    map: { ...map, sourcesContent },
  };
}

function manifest(name, chunks) {
  const own = readJson(`libs/${name}/package.json`);
  const { version, description, keywords, license, engines, peerDependencies: peers, peerDependenciesMeta } = own;
  const { entries, files } = PACKAGES[name];
  const at = (format, entry) => ({
    types: `./dist/${format}/types/${name}/${entry}.d.ts`,
    default: `./dist/${format}/${entry}.js`,
  });
  const exported = (entry) => [
    entry === 'index' ? '.' : `./${entry}`,
    { import: at('esm', entry), require: at('cjs', entry) },
  ];
  const others = entries.filter((entry) => entry !== 'index');
  const dependencies = dependenciesOf(chunks, peers);
  return {
    ...{ name: own.name, version, description, keywords, license, engines },
    ...{ type: 'module', sideEffects: false },
    // For resolvers that do not know `exports`, such as TypeScript's node10.
    ...{ main: './dist/cjs/index.js', types: at('cjs', 'index').types },
    ...(others.length > 0 && {
      typesVersions: { '*': Object.fromEntries(others.map((entry) => [entry, [at('cjs', entry).types]])) },
    }),
    exports: {
      ...Object.fromEntries(entries.map(exported)),
      ...Object.fromEntries(files.map((file) => [exportOf(file), `./${exportOf(file).slice(2)}`])),
      './package.json': './package.json',
    },
    ...(Object.keys(dependencies).length > 0 && { dependencies }),
    ...(peers && { peerDependencies: peers, peerDependenciesMeta }),
  };
}

const exportOf = (file) => (/\.\w+$/.test(file) ? `./${basename(file)}` : `./${basename(file)}/*`);

/** Packages that the bundles still import, in the versions of our own libraries. */
function dependenciesOf(chunks, peers = {}) {
  const versions = readJson('libs/kafka/package.json').dependencies;
  const imported = chunks.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports]);
  const names = imported
    .filter((id) => !id.endsWith('.js') || EXTERNAL.test(id))
    .filter((id) => !isBuiltin(id))
    .map((id) => /^(?:@[^/]+\/)?[^/]+/.exec(id)[0])
    .filter((id) => peers[id] === undefined);
  return Object.fromEntries([...new Set(names)].sort().map((id) => [id, versions[id]]));
}

/** Texts of the licences of what is bundled. */
function licences(moduleIds) {
  const folders = new Set(moduleIds.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id) ?? []));
  return [...folders]
    .sort()
    .map((folder) => {
      const { name, version, license } = readJson(join(folder, 'package.json'));
      const file = ['LICENSE', 'LICENSE.md', 'LICENCE'].map((one) => join(folder, one)).find(existsSync);
      return `${name} ${version} (${license})\n\n${readFileSync(file, 'utf8').trim()}\n`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}

/** Links into the repository lead nowhere from a package. */
const withoutInnerLinks = (text) => text.replaceAll(/\[([^\]]+)\]\((?!https?:|#)[^)]+\)/g, '$1');

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));
const writeJson = (file, value) => writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
