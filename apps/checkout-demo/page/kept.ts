/** What a browser keeps of a visit. Never anything of a card. */
export interface Basket {
  /** Of the attempt to pay this cart: made when the checkout is first shown, shared by all tabs, the same after a reload. */
  key: string;
  quantities: Record<string, number>;
  /** The order that came of it. */
  orderId?: string;
}

const BASKET = 'roitelet.basket';
const CUSTOMER = 'roitelet.customer';
const LANGUAGE = 'roitelet.language';

export const kept = {
  basket(fresh: Record<string, number>): Basket {
    const found = read<Basket>(localStorage, BASKET);
    if (found?.key !== undefined) return { ...found, quantities: { ...fresh, ...found.quantities } };
    const basket = { key: crypto.randomUUID(), quantities: fresh };
    write(localStorage, BASKET, basket);
    return basket;
  },
  setBasket: (basket: Basket): void => write(localStorage, BASKET, basket),
  forgetBasket: (): void => remove(localStorage, BASKET),
  language: (): unknown => read(localStorage, LANGUAGE),
  setLanguage: (language: string): void => write(localStorage, LANGUAGE, language),
  /** Of this tab only, and gone with it. */
  customer: (): Record<string, string> | undefined => read(sessionStorage, CUSTOMER),
  setCustomer: (customer: Record<string, string>): void => write(sessionStorage, CUSTOMER, customer),
  /** True once for each form of the provider: whoever comes back by Back is not sent away again. */
  isFirstVisitOf(form: string): boolean {
    const isFirst = read(sessionStorage, `roitelet.form.${form}`) === undefined;
    write(sessionStorage, `roitelet.form.${form}`, true);
    return isFirst;
  },
};

function read<T>(storage: Storage, name: string): T | undefined {
  try {
    return (JSON.parse(storage.getItem(name) ?? 'null') as T | null) ?? undefined;
  } catch {
    return undefined;
  }
}

/** A browser that keeps nothing still sells. */
function write(storage: Storage, name: string, value: unknown): void {
  try {
    storage.setItem(name, JSON.stringify(value));
  } catch {
    // Full or forbidden: the visit goes on without it.
  }
}

function remove(storage: Storage, name: string): void {
  try {
    storage.removeItem(name);
  } catch {
    // As above.
  }
}
