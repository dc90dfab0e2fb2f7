import { hash, timingSafeEqual } from 'node:crypto';

/**
 * HASH of a set of platform parameters.
 *
 * clear = K + "NAME1=value1" + K + "NAME2=value2" + K …, lower-case hex of SHA-256 over its UTF-8 bytes. Names come flat
 * (`CART[0][PRICE]`) and are sorted level by level: indices inside brackets by number, everything else by bytes. `HASH` itself is
 * left out. The interface does not show it (docs/decisions/0003-hash.md). The simulator computes it by itself (`platform-hash.ts`): a change concerns
 * both.
 *
 * `encoding` `latin1`: key and parameters have one character for each byte, as SentBytes.
 */
export function platformHash(
  key: string,
  parameters: Iterable<readonly [name: string, value: string, ...unknown[]]>,
  encoding: 'utf8' | 'latin1' = 'utf8',
): string {
  const named: { order: string; pair: string }[] = [];
  for (const [name, value] of parameters) {
    if (name !== 'HASH') named.push({ order: orderOf(name), pair: `${name}=${value}` });
  }
  named.sort((a, b) => compare(a.order, b.order) || compare(a.pair, b.pair));
  let clear = key;
  for (const { pair } of named) clear += pair + key;
  return hash('sha256', encoding === 'utf8' ? clear : Buffer.from(clear, encoding), 'hex');
}

/** Takes the same time wherever the two differ. An upper-case HASH is not equal. */
export function equalHash(a: string, b: string): boolean {
  const left = Buffer.from(a, 'utf8');
  const right = Buffer.from(b, 'utf8');
  return left.length === right.length && timingSafeEqual(left, right);
}

const BRACKETED = /^([^[\]]+)((?:\[[^[\]]*\])+)$/;
const INDEX = /^(?:0|[1-9][0-9]{0,99})$/;
const NOT_ASCII = /[^\0-\x7f]/;

/**
 * A text that sorts by code units as the name must sort. Levels are parted by NUL, which stands before all else; inside brackets an index
 * is written with its length in front, so that 10 comes after 9, and before every name. A parameter called `10` is a name.
 */
function orderOf(name: string): string {
  const known = orders.get(name);
  if (known !== undefined) return known;
  const order = findOrder(name);
  // Names are few where we write them; where others do, they must not fill the memory.
  if (orders.size < 5_000 && name.length <= 100) orders.set(name, order);
  return order;
}

const orders = new Map<string, string>();

function findOrder(name: string): string {
  if (!name.includes('[')) return byBytes(name);
  const parts = BRACKETED.exec(name);
  if (parts?.[1] === undefined || parts[2] === undefined) return byBytes(name);
  const levels = parts[2].slice(1, -1).split('][');
  return byBytes(
    levels.reduce(
      (order, level) => `${order}\0${INDEX.test(level) ? `\x01${String.fromCharCode(level.length)}` : '\x02'}${level}`,
      parts[1],
    ),
  );
}

/** Code units and UTF-8 bytes sort alike but beyond the basic plane. */
function byBytes(text: string): string {
  return NOT_ASCII.test(text) ? Buffer.from(text, 'utf8').toString('latin1') : text;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
