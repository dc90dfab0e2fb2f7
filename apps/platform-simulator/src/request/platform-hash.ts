import { createHash, timingSafeEqual } from 'node:crypto';
import { segmentsOf } from './flat-parameters.js';

/**
 * SHA-256 in lower-case hex of `K NAME=value K NAME=value … K` without the spaces and HASH. Names are sorted level by level in byte
 * order, array indices by number. It shares no code with the services, so that a mistake in one of the two shows.
 */
export function hashOf(key: string, parameters: Iterable<readonly [name: string, value: string]>): string {
  const leaves: { name: string; path: string[]; value: string }[] = [];
  for (const [name, value] of parameters) if (name !== 'HASH') leaves.push({ name, path: segmentsOf(name), value });
  leaves.sort((a, b) => comparePaths(a.path, b.path));
  let clear = key;
  for (const leaf of leaves) clear += `${leaf.name}=${leaf.value}${key}`;
  return createHash('sha256').update(clear, 'utf8').digest('hex');
}

/** Accepts only 64 lower-case hexadecimal digits. */
export function isHashOf(
  key: string,
  parameters: Iterable<readonly [name: string, value: string]>,
  sent: string,
): boolean {
  return /^[0-9a-f]{64}$/.test(sent) && timingSafeEqual(Buffer.from(hashOf(key, parameters)), Buffer.from(sent));
}

function comparePaths(a: string[], b: string[]): number {
  for (let level = 0; level < a.length && level < b.length; level++) {
    const order = compareSegments(a[level] ?? '', b[level] ?? '', level > 0);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

const INDEX = /^(0|[1-9][0-9]*)$/;
const ASCII = /^[\x20-\x7e]*$/;

function compareSegments(a: string, b: string, mayBeIndex: boolean): number {
  if (a === b) return 0;
  if (mayBeIndex) {
    const [isIndexA, isIndexB] = [INDEX.test(a), INDEX.test(b)];
    if (isIndexA && isIndexB) return Number(a) - Number(b);
    if (isIndexA !== isIndexB) return isIndexA ? -1 : 1;
  }
  if (ASCII.test(a) && ASCII.test(b)) return a < b ? -1 : 1;
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
