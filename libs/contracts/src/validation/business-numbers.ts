/**
 * Numbers of businesses that could pass for card numbers. Each is recognised by its name in front, by letters that belong to it or by check
 * digits of its own. Most kinds need no rule here: VAT numbers, NIF and CIF are too short, ISBNs, IMEIs, social security numbers and
 * time-stamps begin otherwise than cards, and grouped SIRETs, account numbers and Amazon's orders have other groups.
 */
const NAMED: readonly RegExp[] = [
  // UUIDs have groups of four.
  /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi,
  // British articles begin as some Maestro cards do.
  /\b(?:EAN|GTIN|ISBN)(?:-?1[0-4])?\D{0,6}\d{8,14}(?!\d)/gi,
  // Orders of Temu, TikTok Shop and, in one piece, Amazon.
  /\bPO-\d{3}-\d{15,19}(?!\d)/g,
  /\bTik ?Tok\D{0,12}\d{17,19}(?!\d)/gi,
  /\bAmazon\D{0,12}\d{17}(?!\d)/gi,
  // Parcels of Amazon, of DHL eCommerce, and of Correos: product, customer, 16 digits and a control letter.
  /\bTBA\d{12}(?!\d)/g,
  /\bGM\d{16,18}(?!\d)/g,
  /\b[A-Z]{2}[0-9A-Z]{4}\d{16}[A-Z]\b/g,
];

/** A company's legal form in any case, with or without dots, a word for it, or its VAT number: a SIRET is to be expected near them. */
const LEGAL_FORMS = [
  'SARL',
  'SELARL',
  'SAS',
  'SASU',
  'EURL',
  'EIRL',
  'SCI',
  'SCM',
  'SNC',
  'SCOP',
  'SA',
  'SCA',
  'EI',
  'GIE',
];
const COMPANY = new RegExp(
  [
    String.raw`\b(?:${LEGAL_FORMS.map((form) => [...form].join('(?:\\. ?)?')).join('|')}|RCS|TVA|VAT|EORI|Ets|FR ?\d{2} ?\d{3} ?\d{3} ?\d{3})\b`,
    'sire[nt]|soci[ée]t[ée]|entreprise|[ée]tablissement|association|mairie|company',
  ].join('|'),
  'i',
);

/** Lengths of IBANs (ISO 13616) in the countries that shops of these methods deliver to. */
const IBAN_LENGTHS: Readonly<Record<string, number>> = {
  AD: 24,
  AT: 20,
  BE: 16,
  BG: 22,
  CH: 21,
  CY: 28,
  CZ: 24,
  DE: 22,
  DK: 18,
  EE: 20,
  ES: 24,
  FI: 18,
  FR: 27,
  GB: 22,
  GI: 23,
  GR: 27,
  HR: 21,
  HU: 28,
  IE: 22,
  IS: 26,
  IT: 27,
  LI: 21,
  LT: 20,
  LU: 20,
  LV: 21,
  MC: 27,
  MT: 31,
  NL: 18,
  NO: 15,
  PL: 28,
  PT: 25,
  RO: 24,
  SE: 24,
  SI: 19,
  SK: 24,
  SM: 27,
  TN: 24,
  TR: 26,
  MA: 28,
};
const IBAN_LIKE = /\b([A-Z]{2})\d{2}(?:[ -]?[0-9A-Z]){11,30}/gi;

const PARCEL_OF_UPS = /1Z[0-9A-Z]{16}\b/gi;
/** A parcel or pallet (SSCC), behind its name or the number that GS1 gives to its kind. */
const PARCEL_OF_GS1 =
  /(?:\b(?:SSCC|pal(?:ette?|let)|colis|parcel|package|paquet[e]?|bulto)\D{0,6}|\(00\) ?)(\d{18})(?!\d)/gi;
/** A creditor's reference (ISO 11649), in one piece or in groups. */
const REFERENCE = /\bRF\d{2}(?:[ -]?[0-9A-Z]){1,21}\b/gi;

/** The text without the business numbers that are certain. A letter in the place of each keeps the digits on both sides apart. */
export function withoutBusinessNumbers(text: string): string {
  const rest = NAMED.reduce((left, pattern) => left.replace(pattern, 'x'), text);
  return rest
    .replace(PARCEL_OF_UPS, (found) => (isParcelOfUps(found) ? 'x' : found))
    .replace(PARCEL_OF_GS1, (found, number: string) => (hasGs1CheckDigit(number) ? 'x' : found))
    .replace(REFERENCE, (found) => `x${found.slice(endOfReference(found))}`)
    .replace(IBAN_LIKE, (found: string, country: string) => {
      const end = endOfIban(found, IBAN_LENGTHS[country.toUpperCase()]);
      return end === undefined ? found : `x${found.slice(end)}`;
    });
}

/** Every second sign after `1Z` counts twice; letters count 2 to 9 and 0, again and again. The last digit completes the sum to tens. */
function isParcelOfUps(number: string): boolean {
  let sum = 0;
  [...number.toUpperCase().slice(2)].forEach((sign, at) => {
    const value = sign > '9' ? (sign.charCodeAt(0) - 63) % 10 : Number(sign);
    sum += at % 2 === 0 ? value : value * (at === 15 ? 1 : 2);
  });
  return sum % 10 === 0;
}

/** Returns the end of the IBAN at the beginning of `text`; undefined if the check digits are wrong (ISO 7064, mod 97). */
function endOfIban(text: string, length: number | undefined): number | undefined {
  if (length === undefined) return undefined;
  let end = 0;
  let compact = '';
  while (compact.length < length && end < text.length) compact += text.charAt(end++).replace(/[ -]/, '');
  if (compact.length < length) return undefined;
  return isMod97(compact) ? end : undefined;
}

/** Returns the end of the reference at the beginning of `text`, whose last groups may be other words; 0 if there is none. */
function endOfReference(text: string): number {
  const ends = [...text.matchAll(/[ -]|$/g)].map(({ index }) => index).reverse();
  return ends.find((end) => isMod97(text.slice(0, end).replace(/[ -]/g, ''))) ?? 0;
}

/** ISO 7064, mod 97: the check digits are the third and the fourth sign. */
function isMod97(compact: string): boolean {
  let rest = 0;
  for (const sign of (compact.slice(4) + compact.slice(0, 4)).toUpperCase()) {
    const value = parseInt(sign, 36);
    rest = (value > 9 ? rest * 100 + value : rest * 10 + value) % 97;
  }
  return rest === 1;
}

/** Digits count 3 and 1 by turns, from the right; the last one completes the sum to tens. */
function hasGs1CheckDigit(number: string): boolean {
  return (
    [...number].reduceRight((sum, digit, at) => sum + Number(digit) * ((number.length - at) % 2 === 0 ? 3 : 1), 0) %
      10 ===
    0
  );
}

/** Returns a function that is true if the text speaks of a company. It is searched once at most, when a number asks: each number searching it again would take quadratic time. */
export function companyIn(text: string): () => boolean {
  let found: boolean | undefined;
  return () => (found ??= COMPANY.test(text));
}

/**
 * A SIRET in one piece: a valid SIREN, and the number of an establishment. `isOfCompany` is true where the text around it speaks of a company (`companyIn`). Diners
 * Club cards have 14 digits, too, and one in ten of them begins like a SIREN. Where nothing speaks of a company, we therefore take only a
 * company's first establishments (000…), which one Diners card in ten thousand resembles.
 */
export function isSiret(digits: string, isOfCompany: () => boolean): boolean {
  if (digits.length !== 14 || !passesLuhn(digits, 0, 9) || !passesLuhn(digits, 0, 14)) return false;
  return digits.startsWith('000', 9) || isOfCompany();
}

export function passesLuhn(digits: string, from: number, to: number): boolean {
  let sum = 0;
  let all = 0;
  for (let at = to - 1; at >= from; at--) {
    const digit = digits.charCodeAt(at) - 48;
    all += digit;
    sum += (to - at) % 2 === 1 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2;
  }
  return sum % 10 === 0 && all > 0;
}
