/**
 * One file per app, `apps/NAME/dist/service.js`, beside the compiled `main.js`: an app loads 2,600 modules, and to find and to read them is
 * most of what its start costs (docs/decisions/0074).
 */
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What is loaded from node_modules still: native modules, and what Nest loads only where it is installed. */
const EXTERNAL = [
  /^(snappy|lz4-napi|@napi-rs\/.*)$/,
  /^@nestjs\/(platform-express|websockets)/,
  /^(@grpc\/.*|@nats-io\/.*|amqplib|amqp-connection-manager|ioredis|kerberos|mqtt|nats)$/,
  /^@fastify\/(multipart|static|view)$/,
  'class-transformer/storage',
];

const APPS = [
  'platform-simulator',
  'auth-service',
  'cse-token-service',
  'notification-ingest',
  'payment-gateway',
  'checkout-demo',
];

/** What starts an app; a release from before these bundles has its `main.js` only. */
export function builtFile(name, root = process.cwd()) {
  const { main, service } = filesOf(root, name);
  return existsSync(service) ? service : main;
}

/** Makes those that are older than what they are made of. Resolves to the names of what it made. */
export async function bundleServices({ root = process.cwd(), names = APPS } = {}) {
  const old = names.filter((name) => !isCurrent(filesOf(root, name)));
  if (old.length === 0) return old;
  // Only here: tools are loaded before any package is installed.
  const { rolldown } = await import('rolldown');
  for (const name of old) await bundle(rolldown, filesOf(root, name));
  return old;
}

function filesOf(root, name) {
  const dist = join(root, 'apps', name, 'dist');
  return {
    main: join(dist, 'main.js'),
    service: join(dist, 'service.js'),
    /** The files that the service was made of, a line each. */
    inputs: join(dist, 'service.inputs'),
  };
}

async function bundle(rolldown, { main, service, inputs }) {
  const build = await rolldown({
    input: main,
    platform: 'node',
    external: EXTERNAL,
    // Both: a call that is there to throw (`decodeURIComponent(text)`) passes for one without effect, and would be left out.
    treeshake: false,
    onLog: (level, log, next) => {
      // A package that calls `eval` on purpose stays as it is.
      if (log.code !== 'EVAL') next(level, log);
    },
  });
  try {
    const { output } = await build.generate({ format: 'esm', keepNames: true, codeSplitting: false, minify: false });
    const [{ code, moduleIds }] = output;
    const files = moduleIds.filter((id) => existsSync(id));
    writeFileSync(inputs, [...files, import.meta.filename].join('\n'));
    writeFileSync(`${service}.${process.pid}`, code);
    renameSync(`${service}.${process.pid}`, service);
  } finally {
    await build.close();
  }
}

function isCurrent({ service, inputs }) {
  if (!existsSync(service) || !existsSync(inputs)) return false;
  const { mtimeMs } = statSync(service);
  return readFileSync(inputs, 'utf8')
    .split('\n')
    .every((file) => existsSync(file) && statSync(file).mtimeMs <= mtimeMs);
}
