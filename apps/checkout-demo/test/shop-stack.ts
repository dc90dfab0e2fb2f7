import { randomUUID } from 'node:crypto';
import {
  stage,
  startApp,
  startShopWorld,
  waitFor,
  type RunningApp,
  type ShopWorld,
  type Stage,
  type StartOptions,
} from '@tranche/testing';
import type { OrderView } from '../src/order/order-view.js';
import { orderIdOf, pageIdOf } from '../src/order/order.js';
import { orderCookie } from '../src/order/order-cookie.js';

export type PlacedView = OrderView & { pageId: string };

export const IDENTIFIER = 'Shop FR';
/** Test cards from the simulator's README: accepted, and refused for insufficient funds. */
export const GOOD_CARD = '4970101200040016';
export const CARD_WITHOUT_FUNDS = '4970101200024002';

/** A process of the shop. `origin` is the origin that browsers see, which all its replicas share. */
export interface Shop extends RunningApp {
  readonly origin: string;
}

/** The shop and all services behind it, on the real Kafka and Redis. */
export interface ShopStack {
  shop: Shop;
  readonly simulator: RunningApp;
  readonly prefix: string;
  readonly shopUrl: string;
  readonly keysUrl: string;
  readonly tokenizerUrl: string;
  /** Starts another process of the same shop: a replica, or a restart after a crash. */
  startShop(settings?: Record<string, string>, options?: StartOptions): Promise<Shop>;
  /** Replaces the gateway by one whose clock is so far ahead. The spec stops it. */
  gatewayAhead(offsetMs: number): Promise<RunningApp>;
  stop(): Promise<void>;
}

/** Joins the shop that all specs of a run share. A spec reads only its own orders and stops only processes that it started. */
export async function joinShopStage(): Promise<ShopStack> {
  return shopStack(await stage('shop'), () => Promise.resolve());
}

/** Starts a shop for one spec that kills it, moves its platform's clock or needs another market. */
export async function startShopStack(world: ShopWorld = {}): Promise<ShopStack> {
  const started = await startShopWorld(world);
  return shopStack(started, () => started.stop());
}

export const ofTheShop =
  (settings: Record<string, string>): NonNullable<ShopWorld['settings']> =>
  (app) =>
    app === 'checkout-demo' ? settings : {};

function shopStack({ prefix, env, apps }: Stage, stop: () => Promise<void>): ShopStack {
  const { 'checkout-demo': shop, 'platform-simulator': simulator } = apps;
  const { PUBLIC_URL: shopUrl = '', CSE_KEYS_URL: keysUrl = '', TOKENIZER_URL: tokenizerUrl = '' } = env;
  if (!shop || !simulator) throw new Error('the stage has no shop');
  const withOrigin = (app: RunningApp): Shop => Object.create(app, { origin: { value: shopUrl } }) as Shop;
  return {
    shop: withOrigin(shop),
    simulator,
    prefix,
    shopUrl,
    keysUrl,
    tokenizerUrl,
    startShop: async (settings = {}, options = {}) =>
      withOrigin(await startApp('checkout-demo', { ...env, ...settings }, options)),
    gatewayAhead: async (offsetMs) => {
      await apps['payment-gateway']?.stop();
      const addresses = { PAYMENT_URL: simulator.url, AUTH_SERVICE_URL: apps['auth-service']?.url ?? '' };
      const own = { REDIS_KEY_PREFIX: `${prefix}payment-gateway:`, AUTH_SERVICE_KEY: 'not-asked-for' };
      return startApp('payment-gateway', { ...env, ...addresses, ...own, CLOCK_OFFSET_MS: String(offsetMs) });
    },
    stop,
  };
}

export function orderOf(key: string): { orderId: string; pageId: string } {
  const pageId = pageIdOf(key);
  return { orderId: orderIdOf(pageId), pageId };
}

export const CUSTOMER = {
  firstName: 'Jeanne',
  lastName: 'Martin',
  email: 'jeanne@example.com',
  mobilePhone: '+33 6 12 34 56 78',
  address: '12 rue des Lilas',
  postalCode: '75011',
  city: 'Paris',
  country: 'FR',
};

/** Costs 421.00 EUR. */
export const CART = [
  { sku: 'lamp-hazel', quantity: 1 },
  { sku: 'chair-wren', quantity: 2 },
  { sku: 'teapot-mist', quantity: 1 },
];

export function anOrder(more: object = {}): { key: string; method: string } & Record<string, unknown> {
  return { key: randomUUID(), method: 'a3', cart: CART, customer: CUSTOMER, ...more };
}

/** The card part of a post, with a token from the simulator. */
export async function aCard(simulator: RunningApp, cardCode = GOOD_CARD): Promise<Record<string, unknown>> {
  const answer = await fetch(`${simulator.url}/simulator/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ identifier: IDENTIFIER, cardCode, cardValidityDate: '12-49' }),
  });
  const token = (await answer.json()) as { HFTOKEN?: string; hfToken?: string };
  return { hfToken: token.HFTOKEN ?? token.hfToken, ageMs: 5, selectedBrand: 'visa', cardFullName: 'Jeanne Martin' };
}

export function post(shop: Shop, path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const all = { 'content-type': 'application/json', origin: shop.origin, ...headers };
  return fetch(shop.url + path, {
    method: 'POST',
    headers: all,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

export async function placed(shop: Shop, body: object): Promise<PlacedView> {
  const answer = await post(shop, '/api/orders', body);
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as PlacedView;
}

export async function viewOfOrder(shop: RunningApp, pageId: string): Promise<OrderView> {
  return (await (await fetch(`${shop.url}/api/orders/${pageId}`)).json()) as OrderView;
}

export function untilStatus(shop: RunningApp, pageId: string, status: OrderView['status']): Promise<OrderView> {
  let last = '';
  return waitFor(
    async () => {
      const view = await viewOfOrder(shop, pageId);
      last = view.status;
      return view.status === status && view;
    },
    { timeoutMs: 60_000, what: `order ${pageId} to be ${status}` },
  ).catch((cause: unknown) => {
    throw new Error(`order ${pageId} is ${last}, not ${status}`, { cause });
  });
}

/** Presses a button of the provider's form as a browser would, and follows the redirects back to the shop. */
export async function decide(
  shop: RunningApp,
  { pageId }: Pick<PlacedView, 'pageId'>,
  decision: string,
): Promise<string> {
  const html = await (await fetch(`${shop.url}/orders/${pageId}/provider`)).text();
  const address = /action="([^"]+)"/.exec(html)?.[1] ?? '';
  const body = new URLSearchParams({ decision });
  const decided = await fetch(address, { method: 'POST', body, redirect: 'manual' });
  const returned = await fetch(decided.headers.get('location') ?? '', { redirect: 'manual' });
  return comeBack(returned.headers.get('location') ?? '', pageId);
}

/** Returns as the buyer's browser, with the order's cookie. Resolves to the address to which the shop redirects it. */
export async function comeBack(address: string, pageId: string): Promise<string> {
  const [cookie = ''] = orderCookie(pageId, false).split(';');
  const thanks = await fetch(address, { redirect: 'manual', headers: { cookie } });
  return thanks.headers.get('location') ?? '';
}

export async function executed(
  simulator: RunningApp,
  orderId: string,
): Promise<{ operationType: string; amount: number }[]> {
  const answer = await fetch(`${simulator.url}/simulator/ledger?orderId=${orderId}`);
  return ((await answer.json()) as { operations: { operationType: string; amount: number }[] }).operations;
}
