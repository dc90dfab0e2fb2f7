import { randomUUID } from 'node:crypto';

const TIMEOUT_MS = 40_000;
const MOST_AGAIN = 3;

/** Places an order with the token as the shop's page does, and one with a card number in it, which must be refused. */
export async function buyAtShop(shopUrl: string, hfToken: string, number: string): Promise<void> {
  const customer = {
    firstName: 'Jeanne',
    lastName: 'Martin',
    address: '1 rue des Lilas',
    postalCode: '75011',
    city: 'Paris',
    country: 'FR',
    mobilePhone: '+33612345678',
    email: 'jeanne@example.com',
  };
  const order = (fields: object) => ({
    key: randomUUID(),
    method: 'card',
    cart: [{ sku: 'lamp-hazel', quantity: 1 }],
    customer,
    card: { hfToken, ageMs: 500, selectedBrand: 'visa', cardFullName: 'Jeanne Martin' },
    ...fields,
  });
  const wanted = order({});
  let bought = await post(shopUrl, wanted);
  // Retries as the page does: the same key means the same order.
  for (let again = 0; bought.status === 503 && again < MOST_AGAIN; again++) bought = await post(shopUrl, wanted);
  if (!bought.ok) throw new Error(`the shop answered ${bought.status} ${await bought.text()}`);
  const refused = await post(
    shopUrl,
    order({ customer: { ...customer, address: number }, card: { CARDCODE: number, hfToken } }),
  );
  if (refused.status < 400) throw new Error(`the shop took an order with a card number in it: ${refused.status}`);
}

const post = (shopUrl: string, body: object): Promise<Response> =>
  fetch(`${shopUrl}/api/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: shopUrl },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
