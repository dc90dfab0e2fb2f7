import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  freePorts,
  infrastructure,
  ownPrefix,
  startApp,
  startSimulator,
  waitFor,
  type RunningApp,
  type StartOptions,
} from '@tranche/testing';
import type { OrderView } from '../src/order/order-view.js';
import { orderCookie } from '../src/web/order-cookie.js';

/** As the shop answers to a new order: with the secret of its page's address. */
export type PlacedView = OrderView & { pageId: string };

export const IDENTIFIER = 'Shop FR';
/** Of the simulator's list (its README): accepted, refused for want of funds. */
export const GOOD_CARD = '4970101200040016';
export const CARD_WITHOUT_FUNDS = '4970101200024002';

/** A machine that does much else makes topics slowly. */
const SLOW: StartOptions = { readyTimeoutMs: 180_000 };

/** The shop with everything behind it: gateway, ingest and simulator, on the real Kafka and Redis. */
export interface ShopStack {
  shop: RunningApp;
  readonly simulator: RunningApp;
  readonly prefix: string;
  /** Another process of the same shop: a replica, or the one after a crash. */
  startShop(settings?: Record<string, string>, options?: StartOptions): Promise<RunningApp>;
  stop(): Promise<void>;
}

export async function startShopStack(settings: Record<string, string> = {}): Promise<ShopStack> {
  const { brokers, redisUrl } = infrastructure();
  const prefix = ownPrefix();
  const folder = mkdtempSync(join(tmpdir(), 'shop-'));
  const [[ingestPort], [shopPort]] = await Promise.all([freePorts(), freePorts()]);
  const shopUrl = `http://127.0.0.1:${shopPort}`;
  const merchant = {
    merchant: 'shop-fr',
    identifier: IDENTIFIER,
    accountKey: 'key-of-the-account',
    apiKeys: [{ id: '00000000-0000-4000-8000-00000000000a', key: 'key-of-the-api' }],
    notificationUrl: `http://127.0.0.1:${ingestPort}/notifications`,
    returnUrl: `http://127.0.0.1:${ingestPort}/return/shop-fr`,
    pageUrl: `${shopUrl}/shop-fr/thanks`,
  };
  const merchantsFile = join(folder, 'merchants.json');
  writeFileSync(merchantsFile, JSON.stringify([merchant]));
  const kafka = {
    KAFKA_BROKERS: brokers,
    KAFKA_TOPIC_PREFIX: prefix,
    REDIS_URL: redisUrl,
    MERCHANTS_FILE: merchantsFile,
  };
  const simulator = await startSimulator({ MERCHANTS_FILE: merchantsFile });
  const startShop = (more: Record<string, string> = {}, options: StartOptions = SLOW) =>
    startApp(
      'checkout-demo',
      {
        ...kafka,
        PORT: String(shopPort),
        PUBLIC_URL: shopUrl,
        REDIS_KEY_PREFIX: `${prefix}checkout:`,
        TOKENIZER_URL: `${simulator.url}/tokenizer`,
        ATTEMPTS_PER_MINUTE: '1000',
        // Longer than a stall of the machine. Specs of a Kafka that is away set a short one.
        PUBLISH_TIMEOUT_MS: '30000',
        ...settings,
        ...more,
      },
      options,
    );
  const [gateway, ingest] = await Promise.all([
    startApp('payment-gateway', { ...kafka, PAYMENT_URL: simulator.url, AUTH_SERVICE_KEY: 'not-used' }, SLOW),
    startApp('notification-ingest', { ...kafka, PORT: String(ingestPort), REDIS_KEY_PREFIX: `${prefix}ingest:` }, SLOW),
  ]);
  const stack: ShopStack = {
    shop: await startShop(),
    simulator,
    prefix,
    startShop,
    async stop() {
      await Promise.all([stack.shop.stop(), gateway.stop(), ingest.stop(), simulator.stop()]);
      rmSync(folder, { recursive: true });
    },
  };
  return stack;
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

/** 421.00 EUR. */
export const CART = [
  { sku: 'lamp-hazel', quantity: 1 },
  { sku: 'chair-wren', quantity: 2 },
  { sku: 'teapot-mist', quantity: 1 },
];

export function anOrder(more: object = {}): { key: string; method: string } & Record<string, unknown> {
  return { key: randomUUID(), method: 'a3', cart: CART, customer: CUSTOMER, ...more };
}

/** What the page posts once the tokenizer has answered. */
export async function aCard(simulator: RunningApp, cardCode = GOOD_CARD): Promise<Record<string, unknown>> {
  const answer = await fetch(`${simulator.url}/simulator/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ identifier: IDENTIFIER, cardCode, cardValidityDate: '12-49' }),
  });
  const token = (await answer.json()) as { HFTOKEN?: string; hfToken?: string };
  return { hfToken: token.HFTOKEN ?? token.hfToken, ageMs: 5, selectedBrand: 'visa', cardFullName: 'Jeanne Martin' };
}

export function post(
  shop: RunningApp,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  const all = { 'content-type': 'application/json', origin: shop.url, ...headers };
  return fetch(shop.url + path, {
    method: 'POST',
    headers: all,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

export async function placed(shop: RunningApp, body: object): Promise<PlacedView> {
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

/** Presses a button of the provider's form as a browser would, and follows its way back to the shop. */
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

/** As the buyer's browser, which has the cookie of its order; resolves to where the shop leads it. */
export async function comeBack(address: string, pageId: string): Promise<string> {
  const [cookie = ''] = orderCookie(pageId, false).split(';');
  const thanks = await fetch(address, { redirect: 'manual', headers: { cookie } });
  return thanks.headers.get('location') ?? '';
}

/** What the platform executed of an order. */
export async function executed(
  simulator: RunningApp,
  orderId: string,
): Promise<{ operationType: string; amount: number }[]> {
  const answer = await fetch(`${simulator.url}/simulator/ledger?orderId=${orderId}`);
  return ((await answer.json()) as { operations: { operationType: string; amount: number }[] }).operations;
}
