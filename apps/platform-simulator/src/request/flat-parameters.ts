/** Decoded values by flat name (`AMOUNT`, `CART[0][PRICE]`). */
export type Parameters = ReadonlyMap<string, string>;

export interface FormBody {
  readonly method: string | undefined;
  readonly parameters: Parameters;
}

const MAX_PAIRS = 5000;
const PREFIX = 'params[';

/**
 * `method=capture&params[AMOUNT]=100&params%5bCART%5D[0][PRICE]=50` → flat names. Brackets may be percent-encoded. The last of two equal
 * names counts, as on the platform. `undefined`: malformed.
 */
export function parseFormBody(body: string): FormBody | undefined {
  const parameters = new Map<string, string>();
  let method: string | undefined;
  if (!isDecodable(body)) return undefined;
  const pairs = new URLSearchParams(body);
  if (pairs.size > MAX_PAIRS) return undefined;
  for (const [name, value] of pairs) {
    if (name === 'method') method = value;
    if (!name.startsWith(PREFIX)) continue;
    const flat = flatName(name);
    if (flat === undefined) return undefined;
    parameters.set(flat, value);
  }
  return method === undefined && parameters.size === 0 ? undefined : { method, parameters };
}

/** Copies a value that we store: V8 would keep the whole body in memory for a slice of it. */
export function kept(parameters: Parameters, name: string): string | undefined {
  const value = parameters.get(name);
  return value === undefined ? undefined : Buffer.from(value).toString();
}

/** `CART[0][PRICE]` → `['CART', '0', 'PRICE']`. */
export function segmentsOf(name: string): string[] {
  return name.includes('[') ? name.replaceAll(']', '').split('[') : [name];
}

/** URLSearchParams would put replacement characters in the place of broken escapes. */
function isDecodable(body: string): boolean {
  try {
    decodeURIComponent(body);
    return true;
  } catch {
    return false;
  }
}

/** `params[CART][0][PRICE]` → `CART[0][PRICE]`. */
function flatName(name: string): string | undefined {
  if (!/^params(\[[^[\]]+\])+$/.test(name)) return undefined;
  const [first, ...rest] = name.slice(PREFIX.length, -1).split('][');
  return [first, ...rest.map((segment) => `[${segment}]`)].join('');
}
