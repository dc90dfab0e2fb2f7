import { CARD_NAMES, CVV_NAMES, CVV_TEXTS } from './canaries.js';

export interface WrongAddress {
  readonly name: string;
  readonly url: string;
}

interface Misplaced {
  readonly method: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | FormData;
}

const TIMEOUT_MS = 10_000;
const AT_ONCE = 4;
/** Routes that services have, and one that none has. */
const PATHS = [
  '/v1/cse-keys',
  '/v1/tokens',
  '/v1/accounts',
  '/notifications',
  '/return/shop-fr',
  '/orders',
  '/api/orders',
  '/',
  '/nowhere',
];

const ORDERS = [
  '/orders/ID',
  '/orders/ID/events',
  '/orders/ID/provider',
  '/api/orders/ID',
  '/x/thanks?orderId=ID',
  '/return/ID',
];

/**
 * Sends card data in the clear to services that must not get it: in body, query, path and headers. `origin` is the page's, so that the
 * requests are read at all. Resolves to the number of requests.
 */
export async function sendCardData(
  addresses: readonly WrongAddress[],
  card: { number: string; cvv: string },
  origin: string,
): Promise<number> {
  const waiting = addresses.flatMap(({ url }) =>
    misplaced(card).map((request) => ({
      ...request,
      headers: { origin, ...request.headers },
      url: url + request.path,
    })),
  );
  const count = waiting.length;
  const work = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) await send(next);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return count;
}

function misplaced({ number, cvv }: { number: string; cvv: string }): Misplaced[] {
  const groups = number.replace(/(.{4})(?=.)/g, '$1 ');
  const card = { CARDCODE: number, CARDVALIDITYDATE: '12-49', CARDCVV: cvv, SELECTEDBRAND: 'visa' };
  const json = { 'content-type': 'application/json' };
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const bodies: Pick<Misplaced, 'headers' | 'body'>[] = [
    { headers: json, body: JSON.stringify(card) },
    {
      headers: json,
      body: JSON.stringify({ apiKeyId: number, account: groups, refused: number, card: { number: groups, cvv } }),
    },
    { headers: json, body: `{"CARDCODE":"${number}","CARDCVV":"${cvv}"` },
    { headers: json, body: JSON.stringify(Buffer.from(JSON.stringify(card)).toString('base64')) },
    { headers: form, body: new URLSearchParams({ ...card, IDENTIFIER: 'Demo Shop FR', ORDERID: number }).toString() },
    { headers: form, body: new URLSearchParams({ card: groups, cvv, [number]: cvv }).toString() },
    { headers: { 'content-type': 'text/plain' }, body: `${groups} ${cvv}` },
    { headers: { 'content-type': `x/${number}` }, body: number },
    { body: formDataOf(card) },
    ...['Demo Shop FR', 'nobody'].map((identifier) => ({ headers: form, body: forgedWithCvv(identifier, cvv) })),
    ...['Demo Shop FR', 'nobody'].flatMap((identifier) =>
      [0, 9, 18].map((at) => ({ headers: form, body: forged(identifier, CARD_NAMES.slice(at, at + 9), number) })),
    ),
  ];
  const query = new URLSearchParams({
    CARDCODE: number,
    CARDCVV: cvv,
    IDENTIFIER: 'Demo Shop FR',
    ORDERID: number,
    HASH: number,
  }).toString();
  const sent = {
    'user-agent': groups,
    referer: `https://shop.example/?card=${number}&cvv=${cvv}`,
    cookie: `card=${number}`,
  };
  const claimed = {
    authorization: `Bearer ${number}`,
    'x-api-key': number,
    'x-request-id': number,
    'x-correlation-id': number,
  };
  const traced = {
    traceparent: `00-${number}-${number}-01`,
    baggage: `card=${number}`,
    origin: `https://${number}.example`,
  };
  // These headers are valid trace contexts, so a service could propagate them.
  const followed = {
    traceparent: `00-${number}${number}-${number}-01`,
    'x-datadog-trace-id': number,
    b3: `${number}-${number}-1`,
  };
  return [
    ...ORDERS.flatMap((path) =>
      [number, groups].map((id) => ({ method: 'GET', path: path.replace('ID', encodeURIComponent(id)) })),
    ),
    ...ORDERS.map((path) => ({
      method: 'POST',
      path: path.replace('ID', number),
      headers: json,
      body: JSON.stringify(card),
    })),
    ...PATHS.map((path) => ({ method: 'GET', path, headers: followed })),
    ...PATHS.map((path) => ({
      method: 'POST',
      path,
      headers: { ...json, ...followed },
      body: JSON.stringify({ key: number }),
    })),
    ...PATHS.flatMap((path) => bodies.map((body) => ({ method: 'POST', path, ...body }))),
    ...PATHS.map((path) => ({ method: 'GET', path: `${path}?${query}` })),
    ...PATHS.map((path) => ({ method: 'GET', path: `${path}/${number}/${encodeURIComponent(groups)}` })),
    ...PATHS.flatMap((path) => [sent, claimed, traced].map((headers) => ({ method: 'GET', path, headers }))),
    ...PATHS.map((path) => ({
      method: 'POST',
      path,
      headers: { ...json, ...claimed, ...sent, ...traced },
      body: '{}',
    })),
    { method: 'PUT', path: `/${number}`, headers: json, body: JSON.stringify(card) },
    {
      method: 'OPTIONS',
      path: `/v1/cse-keys?${query}`,
      headers: { ...traced, 'access-control-request-method': number },
    },
  ];
}

/**
 * Makes a notification that goes to quarantine: its HASH has the right form but fits no key. It holds the number under these names and in
 * texts. A request has few names, because a notification that is too large is not kept.
 */
function forged(IDENTIFIER: string, names: readonly string[], number: string): string {
  const form = new URLSearchParams({ IDENTIFIER, HASH: 'a'.repeat(64) });
  for (const name of names) {
    form.append(name, number);
    form.append(name, `paid with ${number.replace(/(.{4})(?=.)/g, '$1 ')}, thank you`);
    form.append(`${name}_${number}`, '1');
  }
  return form.toString();
}

function forgedWithCvv(IDENTIFIER: string, cvv: string): string {
  const form = new URLSearchParams({ IDENTIFIER, HASH: 'b'.repeat(64) });
  for (const name of CVV_NAMES) form.append(name, cvv);
  for (const [at, text] of CVV_TEXTS.entries()) form.append(`MESSAGE${at}`, text.replace('#', cvv));
  return form.toString();
}

function formDataOf(fields: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}

/** The answer does not matter, only where the service stores what it got. */
async function send({ url, method, headers, body }: Misplaced & { url: string }): Promise<void> {
  const request = { method, redirect: 'manual' as const, signal: AbortSignal.timeout(TIMEOUT_MS) };
  await fetch(url, { ...request, ...(headers && { headers }), ...(body !== undefined && { body }) })
    .then((answer) => answer.body?.cancel())
    .catch(() => undefined);
}
