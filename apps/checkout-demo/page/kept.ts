/** What a browser keeps of a visit. Never anything of a card. */
export interface Basket {
  /** Of the attempt to pay this cart: made when the checkout is first shown, shared by all tabs, the same after a reload. */
  key: string;
  madeAtMs: number;
  quantities: Record<string, number>;
  /** Address of the order that came of it. */
  pageId?: string;
}

const BASKET = 'roitelet.basket';
const CUSTOMER = 'roitelet.customer';
const LANGUAGE = 'roitelet.language';

/** A command that is older is not executed any more, so nothing of an older key is still to come. */
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
  forgetBasket: (): void => remove(ofBrowser, BASKET),
  language: (): unknown => read(ofBrowser, LANGUAGE),
  setLanguage: (language: string): void => write(ofBrowser, LANGUAGE, language),
  /** Of this tab only, and gone with it. */
  customer: (): Record<string, string> | undefined => read(ofTab, CUSTOMER),
  setCustomer: (customer: Record<string, string>): void => write(ofTab, CUSTOMER, customer),
  /** True once for each form of the provider: whoever comes back by Back is not sent away again. */
  isFirstVisitOf(form: string): boolean {
    const isFirst = read(ofTab, `roitelet.form.${form}`) === undefined;
    write(ofTab, `roitelet.form.${form}`, true);
    return isFirst;
  },
};

/** What is in it now is a wish of its own: whatever came of the key before, this is another order. */
export function beginAnew(basket: Basket): void {
  basket.key = newKey();
  basket.madeAtMs = Date.now();
  delete basket.pageId;
}

export const isOld = ({ madeAtMs }: Basket): boolean => !(Math.abs(Date.now() - madeAtMs) <= KEY_LIFETIME_MS);

/** A random UUID. crypto.randomUUID does not exist on plain HTTP. */
export function newKey(): string {
  const hex = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );
  const variant = '89ab'[parseInt(hex.charAt(16), 16) % 4];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** The storage itself may be forbidden: then asking for it throws. */
function read<T>(where: Where, name: string): T | undefined {
  try {
    return (JSON.parse(where().getItem(name) ?? 'null') as T | null) ?? undefined;
  } catch {
    return undefined;
  }
}

/** A browser that keeps nothing still sells. */
function write(where: Where, name: string, value: unknown): void {
  try {
    where().setItem(name, JSON.stringify(value));
  } catch {
    // Full or forbidden: the visit goes on without it.
  }
}

function remove(where: Where, name: string): void {
  try {
    where().removeItem(name);
  } catch {
    // As above.
  }
}
