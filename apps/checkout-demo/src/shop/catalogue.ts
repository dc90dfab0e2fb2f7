import { fault, type Category, type Fault } from '@tranche/contracts';

interface Article {
  sku: string;
  /** Sent to the provider and the bank; the page has names in each language. */
  name: string;
  brand: string;
  category: Category;
  /** Minor units, taxes included. */
  price: number;
  /** Initial quantity in a new cart. */
  quantity: number;
}

/** Invented goods. Prices are whole euros, because the simulator takes the cents of an amount as a wanted result. */
export const CATALOGUE: readonly Article[] = [
  {
    sku: 'lamp-hazel',
    name: 'Hazel desk lamp',
    brand: 'Maison Roitelet',
    category: 'furniture',
    price: 8_900,
    quantity: 1,
  },
  {
    sku: 'chair-wren',
    name: 'Wren oak chair',
    brand: 'Maison Roitelet',
    category: 'furniture',
    price: 14_500,
    quantity: 2,
  },
  {
    sku: 'teapot-mist',
    name: 'Mist stoneware teapot',
    brand: 'Maison Roitelet',
    category: 'homeandgarden',
    price: 4_200,
    quantity: 1,
  },
];

export const MAX_QUANTITY = 20;

export interface CartLine {
  article: Article;
  quantity: number;
}

/** The page sends only SKUs and quantities; prices come from the catalogue. A quantity of 0 removes an article. */
export function readCart(cart: unknown): { lines: CartLine[]; faults: Fault[] } {
  if (!Array.isArray(cart) || cart.length > CATALOGUE.length)
    return { lines: [], faults: [fault('cart', 'type', 'must be a list of articles')] };
  const lines: CartLine[] = [];
  const faults: Fault[] = [];
  cart.forEach((line: unknown, index) => {
    const { sku, quantity } = (line ?? {}) as { sku?: unknown; quantity?: unknown };
    const article = CATALOGUE.find((one) => one.sku === sku);
    if (article === undefined) faults.push(fault(`cart[${index}].sku`, 'enum', 'is not an article of this shop'));
    else if (lines.some((other) => other.article === article))
      faults.push(fault(`cart[${index}].sku`, 'duplicate', 'is there twice'));
    else if (!isQuantity(quantity))
      faults.push(fault(`cart[${index}].quantity`, 'range', `must be an integer from 0 to ${MAX_QUANTITY}`));
    else lines.push({ article, quantity });
  });
  const wanted = lines.filter(({ quantity }) => quantity > 0);
  if (faults.length === 0 && wanted.length === 0)
    faults.push(fault('cart', 'length', 'must hold at least one article'));
  return { lines: wanted, faults };
}

/** Minor units. */
export function amountOf(lines: readonly CartLine[]): number {
  return lines.reduce((sum, { article, quantity }) => sum + article.price * quantity, 0);
}

function isQuantity(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_QUANTITY;
}
