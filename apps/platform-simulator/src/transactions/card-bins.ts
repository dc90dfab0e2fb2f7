type Brand = 'cb' | 'visa' | 'vpay' | 'electron' | 'mastercard' | 'maestro';

/** Properties of a card by its BIN. `brands` starts with the national brand and ends with the card's scheme. */
interface Bin {
  readonly brands: readonly [Brand, ...Brand[]];
  readonly type: 'credit' | 'debit';
  /** Absent for numbers outside the table. */
  readonly country?: 'FR' | 'ES';
}

/** Invented issuers; the README lists their test cards. */
const BINS: ReadonlyMap<string, Bin> = new Map<string, Bin>([
  ['49701012', { country: 'FR', brands: ['cb', 'visa'], type: 'debit' }],
  ['51328310', { country: 'FR', brands: ['cb', 'mastercard'], type: 'debit' }],
  ['41763320', { country: 'FR', brands: ['visa'], type: 'credit' }],
  ['53012740', { country: 'FR', brands: ['mastercard'], type: 'credit' }],
  ['58173110', { country: 'FR', brands: ['cb'], type: 'debit' }],
  ['67596420', { country: 'FR', brands: ['cb', 'maestro'], type: 'debit' }],
  ['49173510', { country: 'FR', brands: ['cb', 'electron'], type: 'debit' }],
  ['43704520', { country: 'FR', brands: ['cb', 'vpay'], type: 'debit' }],
  ['45488110', { country: 'ES', brands: ['visa'], type: 'credit' }],
  ['54241820', { country: 'ES', brands: ['mastercard'], type: 'credit' }],
  ['63901410', { country: 'ES', brands: ['maestro'], type: 'debit' }],
  ['49180210', { country: 'ES', brands: ['electron'], type: 'debit' }],
  ['48223010', { country: 'ES', brands: ['vpay'], type: 'debit' }],
]);
const BIN_LENGTH = 8;

const SCHEMES: readonly [shape: RegExp, bin: Bin][] = [
  [/^4/, { brands: ['visa'], type: 'credit' }],
  [/^(5[1-5]|2[2-7])/, { brands: ['mastercard'], type: 'credit' }],
  [/^(50|5[6-9]|6)/, { brands: ['maestro'], type: 'debit' }],
];
const NATIONAL: Bin = { brands: ['cb'], type: 'debit' };

export const binOf = (cardCode: string): Bin =>
  BINS.get(cardCode.slice(0, BIN_LENGTH)) ?? SCHEMES.find(([shape]) => shape.test(cardCode))?.[1] ?? NATIONAL;

export const schemeOf = ({ brands }: Bin): Brand => brands.at(-1) ?? brands[0];

export const hasBrand = ({ brands }: Bin, brand: string): boolean => (brands as readonly string[]).includes(brand);

const NETWORKS: Readonly<Record<Brand, string>> = {
  cb: 'CB',
  visa: 'VISA',
  vpay: 'VISA',
  electron: 'VISA',
  mastercard: 'MASTERCARD',
  maestro: 'MASTERCARD',
};

export const networkOf = (bin: Bin): string => NETWORKS[schemeOf(bin)];

/** BINBRANDS. Only the first brand, which a shop may preselect, has a SERVICETYPE. */
export const binBrandsOf = ({ brands, type }: Bin): { BRAND: Brand; SERVICETYPE: string | null }[] =>
  brands.map((brand, index) => ({ BRAND: brand, SERVICETYPE: index === 0 ? type : null }));
