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
  const pairs = body.split('&');
  if (pairs.length > MAX_PAIRS) return undefined;
  for (const pair of pairs) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? '' : decode(pair.slice(equals + 1));
    if (name === undefined || value === undefined) return undefined;
    if (name === 'method') {
      method = value;
    } else if (name.startsWith(PREFIX)) {
      const flat = flatName(name);
      if (flat === undefined) return undefined;
      parameters.set(flat, value);
    }
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

function decode(text: string): string | undefined {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return undefined;
  }
}

/** `params[CART][0][PRICE]` → `CART[0][PRICE]`. */
function flatName(name: string): string | undefined {
  if (!name.endsWith(']')) return undefined;
  const inner = name.slice(PREFIX.length, -1);
  if (inner !== '' && !inner.includes('[') && !inner.includes(']')) return inner;
  const segments = inner.split('][');
  if (segments.some((segment) => segment === '' || segment.includes('[') || segment.includes(']'))) return undefined;
  const [first = '', ...rest] = segments;
  return rest.length === 0 ? first : `${first}${rest.map((segment) => `[${segment}]`).join('')}`;
}
