/** The cart in the browser's storage. We never store card data. */
export interface Basket {
  /** Identifies the attempt to pay this cart. It is made when the checkout is first shown, is shared by all tabs and survives a reload. */
  key: string;
  madeAtMs: number;
  quantities: Record<string, number>;
  /** Secret part of the address of the order that was placed with this key. */
  pageId?: string;
}

const BASKET = 'roitelet.basket';
const CUSTOMER = 'roitelet.customer';
const LANGUAGE = 'roitelet.language';

/** The gateway no longer executes a command of this age, so an older key cannot pay any more. */
const KEY_LIFETIME_MS = 7 * 86_400_000;

type Where = () => Storage;
const ofBrowser: Where = () => localStorage;
const ofTab: Where = () => sessionStorage;

export const kept = {
  basket(fresh: Record<string, number>): Basket {
    const found = read<Basket>(ofBrowser, BASKET);
    if (found?.key !== undefined && !isOld(found)) return { ...found, quantities: { ...fresh, ...found.quantities } };
    const basket = { key: newKey(), madeAtMs: Date.now(), quantities: fresh };
    write(ofBrowser, BASKET, basket);
    return basket;
  },
  setBasket: (basket: Basket): void => write(ofBrowser, BASKET, basket),
  forgetBasket: (): void => write(ofBrowser, BASKET, null),
  language: (): unknown => read(ofBrowser, LANGUAGE),
  setLanguage: (language: string): void => write(ofBrowser, LANGUAGE, language),
  /** Stored for this tab only; the browser removes it with the tab. */
  customer: (): Record<string, string> | undefined => read(ofTab, CUSTOMER),
  setCustomer: (customer: Record<string, string>): void => write(ofTab, CUSTOMER, customer),
  /** Returns true once per form of the provider: a person who returns with Back is not redirected again. */
  isFirstVisitOf(form: string): boolean {
    const isFirst = read(ofTab, `roitelet.form.${form}`) === undefined;
    write(ofTab, `roitelet.form.${form}`, true);
    return isFirst;
  },
};

/** The new key makes it a new order, independent of the old key's order. */
export function beginAnew(basket: Basket): void {
  basket.key = newKey();
  basket.madeAtMs = Date.now();
  delete basket.pageId;
}

export const isOld = ({ madeAtMs }: Basket): boolean => !(Math.abs(Date.now() - madeAtMs) <= KEY_LIFETIME_MS);

/** A random UUID (version 4). crypto.randomUUID exists only in secure contexts, not on plain HTTP. */
export function newKey(): string {
  const hex = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0'));
  const variant = '89ab'[parseInt(hex[8] ?? '', 16) % 4];
  return hex.join('').replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, `$1-$2-4$3-${variant}$4-$5`);
}

/** The browser may forbid storage; then even `localStorage` throws. */
function read<T>(where: Where, name: string): T | undefined {
  try {
    return (JSON.parse(where().getItem(name) ?? 'null') as T | null) ?? undefined;
  } catch {
    return undefined;
  }
}

/** A failure is ignored, because a person can also pay without storage. */
function write(where: Where, name: string, value: unknown): void {
  try {
    where().setItem(name, JSON.stringify(value));
  } catch {
    // Storage is full or forbidden.
  }
}
