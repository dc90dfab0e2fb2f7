import { CARD_NAMES, CVV_NAMES, CVV_TEXTS } from './canaries.js';

type Card = Readonly<Record<'number' | 'cvv', string>>;
type Misplaced = RequestInit & { path: string };

const TIMEOUT_MS = 10_000;
const AT_ONCE = 4;
const JSON_TYPE = { 'content-type': 'application/json' };
/** Routes that services have, and one that none has. */
const PATHS = [
  ...['/v1/cse-keys', '/v1/tokens', '/v1/accounts', '/notifications', '/return/shop-fr', '/orders', '/api/orders', '/'],
  '/nowhere',
];
const ORDERS = [
  ...['/orders/ID', '/orders/ID/events', '/orders/ID/provider', '/api/orders/ID', '/x/thanks?orderId=ID', '/return/ID'],
];

/**
 * Sends card data in the clear to services that must not get it: in body, query, path and headers. `origin` is the page's, so that the
 * requests are read at all. The answer does not matter, only where the service stores what it got. @throws if most get no answer at all
 */
export async function sendCardData(urls: readonly string[], card: Card, origin: string): Promise<void> {
  const waiting = urls.flatMap((url) => misplaced(card).map((request) => ({ ...request, url: url + request.path })));
  const { length: count } = waiting;
  let answered = 0;
  const work = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const headers = { origin, ...(next.headers as Record<string, string> | undefined) };
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      await fetch(next.url, { ...next, headers, redirect: 'manual', signal })
        .then((answer) => (answered++, answer.body?.cancel()))
        .catch(() => undefined);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  if (answered < count / 2) throw new Error(`only ${answered} of ${count} requests with card data were answered`);
}

function misplaced({ number, cvv }: Card): Misplaced[] {
  const groups = inGroups(number);
  const card = { CARDCODE: number, CARDVALIDITYDATE: '12-49', CARDCVV: cvv, SELECTEDBRAND: 'visa' };
  const named = { ...card, IDENTIFIER: 'Demo Shop FR', ORDERID: number, HASH: number };
  const query = new URLSearchParams(named).toString();
  const asJson = (value: unknown) => ({ headers: JSON_TYPE, body: JSON.stringify(value) });
  const bodies: RequestInit[] = [
    asJson(card),
    asJson({ apiKeyId: number, account: groups, refused: number, card: { number: groups, cvv } }),
    asJson(Buffer.from(JSON.stringify(card)).toString('base64')),
    { headers: JSON_TYPE, body: `{"CARDCODE":"${number}","CARDCVV":"${cvv}"` },
    { headers: { 'content-type': `x/${number}` }, body: number },
    { body: `${groups} ${cvv}` },
    { body: new URLSearchParams(named) },
    { body: new URLSearchParams({ card: groups, cvv, [number]: cvv }) },
    { body: formDataOf(card) },
    ...['Demo Shop FR', 'nobody'].flatMap((identifier) => [
      { body: forgedWithCvv(identifier, cvv) },
      ...[0, 9, 18].map((at) => ({ body: forged(identifier, CARD_NAMES.slice(at, at + 9), number) })),
    ]),
  ];
  const headers: Record<string, string>[] = [
    { 'user-agent': groups, referer: `https://shop.example/?card=${number}&cvv=${cvv}`, cookie: `card=${number}` },
    { authorization: `Bearer ${number}`, 'x-api-key': number, 'x-request-id': number, 'x-correlation-id': number },
    { traceparent: `00-${number}-${number}-01`, baggage: `card=${number}`, origin: `https://${number}.example` },
    // These are valid trace contexts, so a service could propagate them.
    { traceparent: `00-${number}${number}-${number}-01`, 'x-datadog-trace-id': number, b3: `${number}-${number}-1` },
  ];
  return [
    ...ORDERS.flatMap((path) => [
      ...[number, groups].map((id) => ({ path: path.replace('ID', encodeURIComponent(id)) })),
      { method: 'POST', path: path.replace('ID', number), ...asJson(card) },
    ]),
    ...PATHS.flatMap((path) => [
      ...bodies.map((body) => ({ method: 'POST', path, ...body })),
      ...headers.flatMap((one) => [
        { path, headers: one },
        { method: 'POST', path, headers: { ...JSON_TYPE, ...one }, body: JSON.stringify({ key: number }) },
      ]),
      { path: `${path}?${query}` },
      { path: `${path}/${number}/${encodeURIComponent(groups)}` },
    ]),
    { method: 'PUT', path: `/${number}`, ...asJson(card) },
    { method: 'OPTIONS', path: `/v1/cse-keys?${query}`, headers: { 'access-control-request-method': number } },
  ];
}

const inGroups = (number: string): string => number.replace(/(.{4})(?=.)/g, '$1 ');

/**
 * Makes a notification that goes to quarantine: its HASH has the right form but fits no key. It holds the number under these names and in
 * texts. A request has few names, because a notification that is too large is not kept.
 */
function forged(IDENTIFIER: string, names: readonly string[], number: string): URLSearchParams {
  const form = new URLSearchParams({ IDENTIFIER, HASH: 'a'.repeat(64) });
  for (const name of names) {
    form.append(name, number);
    form.append(name, `paid with ${inGroups(number)}, thank you`);
    form.append(`${name}_${number}`, '1');
  }
  return form;
}

function forgedWithCvv(IDENTIFIER: string, cvv: string): URLSearchParams {
  const form = new URLSearchParams({ IDENTIFIER, HASH: 'b'.repeat(64) });
  for (const name of CVV_NAMES) form.append(name, cvv);
  for (const [at, text] of CVV_TEXTS.entries()) form.append(`MESSAGE${at}`, text.replace('#', cvv));
  return form;
}

function formDataOf(fields: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}
