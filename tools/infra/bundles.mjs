/**
 * Bundles each app into one file next to its compiled `main.js`: finding and reading 2,600 modules takes most of an app's start.
 * `service.cjs` is the bundle, `service.cache` V8's code cache of it, and `service.js` starts the bundle with the cache
 * (docs/decisions/0074).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** These still come from node_modules: native modules, and modules that Nest loads only if they are installed. */
const EXTERNAL = [
  /^(snappy|lz4-napi|@napi-rs\/.*)$/,
  /^@nestjs\/(platform-express|websockets)/,
  /^(@grpc\/.*|@nats-io\/.*|amqplib|amqp-connection-manager|ioredis|kerberos|mqtt|nats)$/,
  /^@fastify\/(multipart|static|view)$/,
  'class-transformer/storage',
];

/** Returns the file that starts an app: the bundle, or `main.js` before there is one. */
export function builtFile(name) {
  const { main, service } = filesOf(process.cwd(), name);
  return existsSync(service) ? service : main;
}

/** Rebuilds bundles that are older than their sources. Resolves to the names of those that it built. */
export async function bundleServices(names, { root = process.cwd() } = {}) {
  const old = names.filter((name) => !isCurrent(filesOf(root, name)));
  if (old.length === 0) return old;
  // The import is here because tools are loaded before packages are installed.
  const { rolldown } = await import('rolldown');
  await Promise.all(old.map((name) => bundle(rolldown, filesOf(root, name))));
  return old;
}

function filesOf(root, name) {
  const dist = join(root, 'apps', name, 'dist');
  return {
    main: join(dist, 'main.js'),
    service: join(dist, 'service.js'),
    code: join(dist, 'service.cjs'),
    cache: join(dist, 'service.cache'),
    /** Lists the source files of the bundle, one per line. */
    inputs: join(dist, 'service.inputs'),
  };
}

/**
 * Content of `service.js`. V8 accepts a cache only for its own version and flags and for code of the same length, so `bundle` removes the
 * old one first.
 */
const STARTER = `import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';

const file = fileURLToPath(new URL('service.cjs', import.meta.url));
const cache = fileURLToPath(new URL('service.cache', import.meta.url));
const { TRANCHE_WRITES_CACHE: isMade } = process.env;

function read() {
  try {
    return isMade ? undefined : readFileSync(cache);
  } catch {
    return undefined;
  }
}

const code = \`(function (exports, require, module, __filename, __dirname) {\${readFileSync(file, 'utf8')}\n})\`;
const script = new Script(code, { filename: file, cachedData: read() });
if (isMade) process.on('exit', () => writeFileSync(cache, script.createCachedData()));
const module = { exports: {} };
script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file));
`;

async function bundle(rolldown, { main, service, code, cache, inputs }) {
  const build = await rolldown({
    input: main,
    platform: 'node',
    external: EXTERNAL,
    // Tree shaking drops calls without a visible effect, also one that is made to throw, such as `decodeURIComponent(text)`.
    treeshake: false,
    onLog: (level, log, next) => {
      // A package that calls `eval` on purpose gives no warning.
      if (log.code !== 'EVAL') next(level, log);
    },
  });
  try {
    const { output } = await build.generate({
      format: 'cjs',
      // Node.js 20 refuses `import()` in code from a cache, so external modules are loaded with `require`.
      dynamicImportInCjs: false,
      keepNames: true,
      codeSplitting: false,
      minify: false,
    });
    const [{ code: text, moduleIds }] = output;
    const files = moduleIds.filter((id) => existsSync(id));
    rmSync(cache, { force: true });
    writeWhole(code, text);
    writeWhole(service, STARTER);
    writeFileSync(inputs, [...files, import.meta.filename].join('\n'));
  } finally {
    await build.close();
  }
  await writeCache(service);
}

/** The card library as an ES module, and as a classic script that leaves `window.TrancheCardEncryption` behind. */
export const ES_MODULE = 'libs/card-encryption/dist/index.js';
export const CLASSIC_SCRIPT = 'libs/card-encryption/dist/card-encryption.global.js';

/** Makes the classic script again if the module is newer. Resolves to whether it did. */
export async function buildClassicScript() {
  const madeAt = statSync(CLASSIC_SCRIPT, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if ([ES_MODULE, import.meta.filename].every((file) => statSync(file).mtimeMs < madeAt)) return false;
  const { rolldown } = await import('rolldown');
  const build = await rolldown({ input: ES_MODULE, platform: 'browser' });
  const { output } = await build.generate({ format: 'iife', name: 'TrancheCardEncryption', minify: true });
  await build.close();
  writeWhole(CLASSIC_SCRIPT, output[0].code);
  return true;
}

function writeWhole(file, text) {
  writeFileSync(`${file}.${process.pid}`, text);
  renameSync(`${file}.${process.pid}`, file);
}

/** Starts the service with a setting that it refuses: it compiles everything that a start needs, reports the fault and ends. */
async function writeCache(service) {
  const env = { ...process.env, TRANCHE_WRITES_CACHE: '1', LOG_LEVEL: 'none-of-these' };
  const child = spawn(process.execPath, [service], { env, stdio: 'ignore', timeout: 30_000 });
  await once(child, 'exit');
}

function isCurrent({ service, code, inputs }) {
  if (!existsSync(service) || !existsSync(code) || !existsSync(inputs)) return false;
  const { mtimeMs } = statSync(service);
  return readFileSync(inputs, 'utf8')
    .split('\n')
    .every((file) => existsSync(file) && statSync(file).mtimeMs <= mtimeMs);
}
