import type { Card, CardToken } from '@tranche/card-encryption';
import { passesLuhn } from './card-entry.js';
import { cardLibrary, enteredCard, enteredCardName, offerAllBrands, showBrands } from './card-fields.js';
import type { Fault, Shop } from './shop-api.js';
import type { TextKey } from './texts.js';

/** The card cannot be used. `faults` belong to fields; `whole` is a text for the whole form. */
export class CardTrouble extends Error {
  constructor(
    readonly faults: Fault[],
    readonly whole?: TextKey,
  ) {
    super('the card was not tokenized');
  }
}

/**
 * Resolves to a function that returns the card part of an order: token and age, never the card. `others`: faults of the other fields, so that
 * all are shown at once. @throws CardTrouble
 */
export async function tokenizedCard(shop: Shop, others: Fault[]): Promise<() => object> {
  const { cardFaults, tokenizeCard } = await loaded();
  await showBrands();
  const card = enteredCard();
  const cardFullName = enteredCardName();
  const faults = [
    ...others,
    ...cardFaults(card).map(({ field, code }) => ({ path: FIELDS[field], code })),
    ...nameFaults(cardFullName),
  ];
  if (/^\d{12,19}$/.test(card.cardCode) && !passesLuhn(card.cardCode))
    faults.push({ path: FIELDS.cardCode, code: 'check_digit' });
  if (faults.length > 0) throw new CardTrouble(faults);
  const token = await tokenizeCard(card, shop.card).catch(async (error: unknown) => {
    const trouble = troubleOf(error as Trouble);
    if (trouble.faults.some(({ path }) => path === FIELDS.selectedBrand)) await offerAllBrands();
    throw trouble;
  });
  return () => postedCard(token, card.selectedBrand, cardFullName);
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

async function loaded(): ReturnType<typeof cardLibrary> {
  try {
    return await cardLibrary();
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
  if (code === 'card_refused' && execCode === '4012')
    return new CardTrouble([{ path: FIELDS.cardCode, code: 'unknown' }]);
  if (code === 'card_refused' && execCode === '4015')
    return new CardTrouble([{ path: FIELDS.cardValidityDate, code: 'expired' }]);
  if (code === 'card_refused') return new CardTrouble([], 'failed.refused');
  return new CardTrouble([], code === 'no_crypto_api' || code === 'not_https' ? 'failed.browser' : 'failed.encryption');
}
