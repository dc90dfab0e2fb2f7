import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * HASH of a set of platform parameters.
 *
 * clear = K + "NAME1=value1" + K + "NAME2=value2" + K …, lower-case hex of SHA-256 over its UTF-8 bytes. Names come flat
 * (`CART[0][PRICE]`) and are sorted level by level: indices inside brackets by number, everything else by bytes. `HASH` itself is
 * left out. The interface does not show it; docs/decisions record the assumption.
 */
export function platformHash(key: string, parameters: Iterable<readonly [name: string, value: string]>): string {
  const named: { levels: string[]; pair: string }[] = [];
  for (const [name, value] of parameters) {
    if (name !== 'HASH') named.push({ levels: levelsOf(name), pair: `${name}=${value}` });
  }
  named.sort((a, b) => compareLevels(a.levels, b.levels));
  let clear = key;
  for (const { pair } of named) clear += pair + key;
  return createHash('sha256').update(clear, 'utf8').digest('hex');
}

/** Takes the same time wherever the two differ. An upper-case HASH is not equal. */
export function equalHash(a: string, b: string): boolean {
  const left = Buffer.from(a, 'utf8');
  const right = Buffer.from(b, 'utf8');
  return left.length === right.length && timingSafeEqual(left, right);
}

const BRACKETED = /^([^[\]]+)((?:\[[^[\]]*\])+)$/;
const INDEX = /^(?:0|[1-9][0-9]*)$/;
const NOT_ASCII = /[^\0-\x7f]/;

function levelsOf(name: string): string[] {
  if (!name.includes('[')) return [name];
  const parts = BRACKETED.exec(name);
  return parts?.[1] === undefined || parts[2] === undefined ? [name] : [parts[1], ...parts[2].slice(1, -1).split('][')];
}

function compareLevels(a: readonly string[], b: readonly string[]): number {
  const depth = Math.min(a.length, b.length);
  for (let level = 0; level < depth; level++) {
    const order = compareNames(a[level] ?? '', b[level] ?? '', level > 0);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Only what stands in brackets can be an index: a parameter called `10` is a name. Indices stand before names. */
function compareNames(a: string, b: string, inBrackets: boolean): number {
  if (a === b) return 0;
  if (inBrackets) {
    const aIsIndex = INDEX.test(a);
    const bIsIndex = INDEX.test(b);
    if (aIsIndex && bIsIndex) return a.length - b.length || (a < b ? -1 : 1);
    if (aIsIndex !== bIsIndex) return aIsIndex ? -1 : 1;
  }
  if (NOT_ASCII.test(a) || NOT_ASCII.test(b)) return Buffer.compare(Buffer.from(a, 'utf8'), Buffer.from(b, 'utf8'));
  return a < b ? -1 : 1;
}
