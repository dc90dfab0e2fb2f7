import { check, CseEvent, holdsCardData } from '@tranche/contracts';
import { Problem } from '@tranche/service-kit';

/** Hexadecimal, as in traces. */
const ID_OF_128_BITS = '[0-9a-f]{32}';
const ID_OF_64_BITS = '[0-9a-f]{16}';
const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const REQUEST_ID = `(?:${UUID}|${ID_OF_128_BITS})`;
const AMAZON_PART = `(?:(?:Root|Self)=1-[0-9a-f]{8}-[0-9a-f]{24}|Parent=${ID_OF_64_BITS}|Sampled=[01])`;
/**
 * Shapes of trace ids that proxies add: random numbers, of which about one in 30 looks like a card number. A value that matches its
 * header's shape exactly is not searched; such values are never logged or forwarded.
 */
const TRACES: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    traceparent: `[0-9a-f]{2}-${ID_OF_128_BITS}-${ID_OF_64_BITS}-[0-9a-f]{2}`,
    'x-request-id': REQUEST_ID,
    'x-correlation-id': REQUEST_ID,
    'x-datadog-trace-id': '[0-9]{1,20}',
    'x-datadog-parent-id': '[0-9]{1,20}',
    'x-cloud-trace-context': `${ID_OF_128_BITS}(?:/[0-9]{1,20})?(?:;o=[0-9])?`,
    'x-amzn-trace-id': `${AMAZON_PART}(?:;${AMAZON_PART})*`,
    b3: `(?:${ID_OF_64_BITS}|${ID_OF_128_BITS})-${ID_OF_64_BITS}(?:-[01d](?:-${ID_OF_64_BITS})?)?`,
    'x-b3-traceid': `(?:${ID_OF_64_BITS}|${ID_OF_128_BITS})`,
    'x-b3-spanid': ID_OF_64_BITS,
    'x-b3-parentspanid': ID_OF_64_BITS,
    'cf-ray': `${ID_OF_64_BITS}(?:-[A-Z]{3})?`,
  }).map(([name, shape]) => [name, new RegExp(`^${shape}$`)]),
);

/** Header names of browsers and proxies; other names are searched too. */
const ORDINARY = new Set(
  [
    'host connection content-length content-type accept accept-encoding accept-language origin referer user-agent cookie pragma',
    'cache-control priority dnt te via forwarded sec-ch-ua sec-ch-ua-mobile sec-ch-ua-platform sec-fetch-dest sec-fetch-mode sec-fetch-site',
    'sec-gpc x-forwarded-for x-forwarded-host x-forwarded-proto x-forwarded-port x-real-ip x-request-id',
    'access-control-request-method access-control-request-headers',
  ].flatMap((line) => line.split(' ')),
);
/** Browsers repeat their header values, so clean ones are remembered and not searched again. */
const MAX_SEARCHED = 1_000;
const MAX_SEARCHED_LENGTH = 256;

/** True if the value contains a card field's name or a card number at any depth. */
export function holdsCards(value: unknown): boolean {
  // Unknown fields of a message are searched by the same rules everywhere in Tranche.
  return (
    check(CseEvent, { stranger: value }, 'refused').faults?.some(({ code }) => code === 'card_data_forbidden') ?? false
  );
}

/** Headers contain many kinds of numbers, as in cookies, so only numbers with prefix and length of a card scheme count. */
export class HeaderScan {
  readonly #clean = new Set<string>();

  /** @param raw name, value, name, value … */
  holdsCards(raw: readonly string[]): boolean {
    for (let at = 0; at < raw.length; at += 2) {
      const name = raw[at] ?? '';
      const value = raw[at + 1] ?? '';
      if (!ORDINARY.has(name) && !ORDINARY.has(name.toLowerCase()) && holdsCards({ [name]: '' })) return true;
      if (!this.#clean.has(value) && !TRACES.get(name.toLowerCase())?.test(value) && this.#isFound(value)) return true;
    }
    return false;
  }

  #isFound(value: string): boolean {
    if (holdsCardData(decoded(value))) return true;
    if (this.#clean.size >= MAX_SEARCHED) this.#clean.clear();
    if (value.length <= MAX_SEARCHED_LENGTH) this.#clean.add(value);
    return false;
  }
}

/** Searches any text, such as truncated JSON or `a=b&c=d`: its words as names, its numbers as card numbers. */
export function textHoldsCards(text: string): boolean {
  const plain = decoded(text.replaceAll('+', ' '));
  return holdsCards(plain) || holdsNames(plain.split(/[^\w.-]+/));
}

/** A provider's key id may be a long number, so only numbers with prefix and length of a card scheme count. */
export function idHoldsCard(id: unknown): boolean {
  return typeof id === 'string' ? holdsCardData(id) : holdsCards(id);
}

export function cardDataRefused(): Problem {
  const detail = 'This looks like card data, which must never be sent to this address. Nothing of it was kept.';
  return new Problem({ status: 400, code: 'card_data_refused', detail });
}

function holdsNames(names: readonly string[]): boolean {
  return holdsCards(Object.fromEntries(names.map((name) => [name, ''])));
}

function decoded(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    // Invalid escapes; escaped digits still count.
    return text.replace(/%3([0-9])/g, '$1');
  }
}
