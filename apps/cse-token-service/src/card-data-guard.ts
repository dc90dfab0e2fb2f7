import { check, CseEvent, holdsCardData } from '@tranche/contracts';
import { Problem } from '@tranche/service-kit';

/** Names of headers that browsers and proxies send; others are searched as names too. */
const ORDINARY = new Set(
  [
    'host connection content-length content-type accept accept-encoding accept-language origin referer user-agent cookie pragma',
    'cache-control priority dnt te via forwarded sec-ch-ua sec-ch-ua-mobile sec-ch-ua-platform sec-fetch-dest sec-fetch-mode sec-fetch-site',
    'sec-gpc x-forwarded-for x-forwarded-host x-forwarded-proto x-forwarded-port x-real-ip x-request-id',
    'access-control-request-method access-control-request-headers',
  ].flatMap((line) => line.split(' ')),
);
/** What browsers say of themselves comes again and again: it is searched once. */
const MAX_SEARCHED = 1_000;
const MAX_SEARCHED_LENGTH = 256;

/** Whether there is card data anywhere in it: a name of a card's field or a card number, at any depth. */
export function holdsCards(value: unknown): boolean {
  // What is in no field of a message is searched by the same rules as everywhere in Tranche.
  return check(CseEvent, { stranger: value }, 'refused').faults?.some(({ code }) => code === 'card_data_forbidden') ?? false;
}

/** Headers carry numbers of many kinds (cookies, traces): only those with prefix and length of a card scheme count. */
export class HeaderGuard {
  readonly #clean = new Set<string>();

  /** `raw`: name, value, name, value … */
  holdsCards(raw: readonly string[]): boolean {
    for (let at = 0; at < raw.length; at += 2) {
      const name = raw[at] ?? '';
      const value = raw[at + 1] ?? '';
      if (!ORDINARY.has(name) && !ORDINARY.has(name.toLowerCase()) && holdsCards({ [name]: '' })) return true;
      if (!this.#clean.has(value) && this.#isFound(value)) return true;
    }
    return false;
  }

  #isFound(value: string): boolean {
    if (holdsCardData(decoded(value), 'reference')) return true;
    if (this.#clean.size >= MAX_SEARCHED) this.#clean.clear();
    if (value.length <= MAX_SEARCHED_LENGTH) this.#clean.add(value);
    return false;
  }
}

/** A text of any form, such as JSON that breaks off or `a=b&c=d`: its words may be names, its numbers a card's. */
export function textHoldsCards(text: string): boolean {
  const plain = decoded(text.replaceAll('+', ' '));
  return holdsCards(plain) || holdsNames(plain.split(/[^\w.-]+/));
}

/** An id of the key provider's may be a long number: only one with prefix and length of a card scheme counts. */
export function idHoldsCard(id: unknown): boolean {
  return typeof id === 'string' ? holdsCardData(id, 'reference') : holdsCards(id);
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
    // Escapes that are none: those that are digits still count.
    return text.replace(/%3([0-9])/g, '$1');
  }
}
