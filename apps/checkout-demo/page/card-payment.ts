import type { Card, CardToken } from '@tranche/card-encryption';
import { areOffered, chosenBrand, offerBrands } from './brand-choice.js';
import { brandsOf, passesLuhn } from './card-entry.js';
import { enteredCard, enteredCardName } from './entry-fields.js';
import type { Fault, Shop } from './shop-api.js';
import type { TextKey } from './texts.js';

type CardEncryption = typeof import('@tranche/card-encryption');

/** The shop serves the package beside the page, because a browser cannot resolve its name in node_modules. */
const ADDRESS = '/card-encryption/index.js';

/** The card cannot be used. `faults` belong to fields; `whole` is a text for the whole form. */
export class CardTrouble extends Error {
  constructor(
    readonly faults: Fault[],
    readonly whole?: TextKey,
  ) {
    super('the card was not tokenized');
  }
}

/** The card has several brands: the page offers them, and the person must press Pay again. */
export class BrandWanted extends Error {}

/** The card and its token while the person selects a brand. */
let waiting: { card: string; token: CardToken } | undefined;
/** Below the token's lifetime of 15 minutes, to leave time for sending it. */
const KEPT_FOR_MS = 10 * 60_000;

/** Resolves to a function that returns the card part of an order: token and age, never the card. @throws CardTrouble | BrandWanted */
export async function tokenizedCard(shop: Shop): Promise<() => object> {
  const { cardFaults, tokenizeCard } = await loaded();
  const card = enteredCard();
  const cardFullName = enteredCardName();
  const faults = [
    ...cardFaults(card).map(({ field, code }) => ({ path: FIELDS[field], code })),
    ...nameFaults(cardFullName),
  ];
  if (/^\d{12,19}$/.test(card.cardCode) && !passesLuhn(card.cardCode))
    faults.push({ path: FIELDS.cardCode, code: 'check_digit' });
  if (faults.length > 0) throw new CardTrouble(faults);
  const token =
    tokenOf(card) ??
    (await tokenizeCard(card, shop.card).catch((error: unknown) => {
      throw troubleOf(error as Trouble);
    }));
  const brands = brandsOf(token.binBrands);
  if (brands.length > 1 && !areOffered(brands)) {
    waiting = { card: JSON.stringify(card), token };
    offerBrands(brands);
    throw new BrandWanted();
  }
  return () => postedCard(token, brands.length > 1 ? chosenBrand() : undefined, cardFullName);
}

/** A token is valid for one payment, so it is returned only once. */
function tokenOf(card: Card): CardToken | undefined {
  const kept = waiting;
  waiting = undefined;
  if (kept?.card !== JSON.stringify(card)) return undefined;
  return performance.now() - kept.token.requestedAtMs < KEPT_FOR_MS ? kept.token : undefined;
}

const FIELDS: Record<keyof Card, string> = {
  cardCode: 'card-number',
  cardValidityDate: 'card-expiry',
  cardCvv: 'card-cvv',
  selectedBrand: 'card-brand',
};

const nameFaults = (name: string): Fault[] => (name.trim() === '' ? [{ path: 'card-name', code: 'required' }] : []);

/** We send the token's age, because the browser's clock may be wrong. */
function postedCard(
  { hfToken, requestedAtMs }: CardToken,
  selectedBrand: string | undefined,
  cardFullName: string,
): object {
  return { hfToken, ageMs: Math.max(0, performance.now() - requestedAtMs), selectedBrand, cardFullName };
}

async function loaded(): Promise<CardEncryption> {
  try {
    return (await import(ADDRESS)) as CardEncryption;
  } catch {
    throw new CardTrouble([], 'failed.encryption');
  }
}

interface Trouble {
  code?: string;
  execCode?: string;
  faults?: { field: keyof Card; code: string }[];
}

function troubleOf({ code, execCode, faults = [] }: Trouble): CardTrouble {
  if (code === 'card_refused' && faults.length > 0)
    return new CardTrouble(faults.map((one) => ({ path: FIELDS[one.field], code: one.code })));
  if (code === 'card_refused') {
    if (execCode === '4012') return new CardTrouble([], 'failed.number');
    return new CardTrouble([], execCode === '4015' ? 'failed.expired' : 'failed.refused');
  }
  return new CardTrouble([], code === 'no_crypto_api' || code === 'not_https' ? 'failed.browser' : 'failed.encryption');
}
