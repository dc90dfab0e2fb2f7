/**
 * Makes the classic script of libs/card-encryption for pages that load no ES modules: the compiled module in one function, minified, as
 * `window.TrancheCardEncryption`. Also computes the integrity hashes of both files.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** Relative to the repository's root. */
export const ES_MODULE = 'libs/card-encryption/dist/index.js';
export const CLASSIC_SCRIPT = 'libs/card-encryption/dist/card-encryption.global.js';

/** Writes the classic script unless it is newer than the module and this file. Resolves to whether it did. */
export async function buildClassicScript() {
  if (isCurrent()) return false;
  const code = await classicScript(readFileSync(ES_MODULE, 'utf8'));
  const unfinished = `${CLASSIC_SCRIPT}.${process.pid}`;
  writeFileSync(unfinished, code);
  renameSync(unfinished, CLASSIC_SCRIPT);
  return true;
}

export async function classicScript(moduleCode) {
  // The import is here because bootstrap loads this file before packages are installed.
  const { minify, transform } = await import('@swc/core');
  const { code } = await transform(moduleCode, {
    swcrc: false,
    sourceMaps: false,
    module: { type: 'commonjs', strictMode: true },
    jsc: { target: 'es2022', parser: { syntax: 'ecmascript' } },
  });
  const wrapped = `(function (exports) {${code}\n})((globalThis.TrancheCardEncryption = {}));`;
  const minified = await minify(wrapped, { module: false, compress: true, mangle: true, format: { comments: false } });
  return `${minified.code}\n`;
}

/** Returns the hash in the form of a page's `integrity` attribute. */
export function integrity(bytes) {
  return `sha384-${createHash('sha384').update(bytes).digest('base64')}`;
}

function isCurrent() {
  if (!existsSync(CLASSIC_SCRIPT)) return false;
  const sources = [ES_MODULE, resolve('tools/infra/classic-script.mjs')];
  return sources.every((file) => statSync(CLASSIC_SCRIPT).mtimeMs > statSync(file).mtimeMs);
}
