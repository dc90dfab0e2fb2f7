import { hash, timingSafeEqual } from 'node:crypto';

/**
 * HASH of platform parameters: clear = K + "NAME1=value1" + K + "NAME2=value2" + K …, then SHA-256 of its UTF-8 bytes in lower-case hex.
 * Flat names (`CART[0][PRICE]`) are sorted level by level: indices in brackets by number, everything else by bytes. `HASH` itself is left
 * out. The interface does not define this (docs/decisions/0003-hash.md). The simulator has its own implementation (`platform-hash.ts`),
 * which a change must follow.
 * @param encoding `latin1`: key and parameters have one character per byte, see SentBytes
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

/** Compares in constant time. An upper-case HASH is not equal. */
export function equalHash(a: string, b: string): boolean {
  const left = Buffer.from(a, 'utf8');
  const right = Buffer.from(b, 'utf8');
  return left.length === right.length && timingSafeEqual(left, right);
}

const BRACKETED = /^([^[\]]+)((?:\[[^[\]]*\])+)$/;
const INDEX = /^(?:0|[1-9][0-9]{0,99})$/;
const NOT_ASCII = /[^\0-\x7f]/;

/**
 * Maps a name to a text whose code units sort as the name must. Levels are separated by NUL, which sorts first. An index in brackets is
 * prefixed with its length, so that 10 sorts after 9, and before any name. A parameter called `10` is a name.
 */
function orderOf(name: string): string {
  const known = orders.get(name);
  if (known !== undefined) return known;
  const order = findOrder(name);
  // Our own names are few; names of other senders must not fill the memory.
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

/** Code units and UTF-8 bytes sort equally, except beyond the basic multilingual plane. */
function byBytes(text: string): string {
  return NOT_ASCII.test(text) ? Buffer.from(text, 'utf8').toString('latin1') : text;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
