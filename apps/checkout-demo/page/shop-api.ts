import type { OrderView } from './views.js';

export interface Shop {
  market: 'FR' | 'ES';
  maxQuantity: number;
  articles: { sku: string; price: number; quantity: number }[];
  methods: Method[];
  card: { apiKeyId: string; cseKeysUrl: string; tokenizerUrl: string };
}

export interface Method {
  id: string;
  instalments: number;
  cost: 'none' | 'fee' | 'unsaid';
  /** Minor units. */
  minAmount?: number;
  maxAmount?: number;
}

type PlacedOrder = OrderView & { pageId: string };

export interface Fault {
  /** Name of a field of the page; '' for the whole form. */
  path: string;
  code: string;
}

/** Error answer of the shop. Status 0: the shop could not be reached. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly faults: Fault[] = [],
    /** Secret part of the address of the order that already exists for the key. */
    readonly pageId?: string,
  ) {
    super(`refused with ${status}`);
  }
}

export const shopApi = {
  shop: (): Promise<Shop> => ask<Shop>('/api/shop'),
  order: (pageId: string): Promise<OrderView> => ask<OrderView>(`/api/orders/${encodeURIComponent(pageId)}`),
  place: (body: object): Promise<PlacedOrder> => ask<PlacedOrder>('/api/orders', body),
  tryAgain: (pageId: string, body: object): Promise<OrderView> =>
    ask<OrderView>(`/api/orders/${encodeURIComponent(pageId)}/attempts`, body),
};

const TIMEOUT_MS = 20_000;

export async function ask<T>(address: string, body?: object): Promise<T> {
  const posting = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  let answer: Response;
  try {
    answer = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS), ...(body === undefined ? {} : posting) });
  } catch {
    throw new Refusal(0);
  }
  if (answer.ok) return (await answer.json()) as T;
  const problem = (await answer.json().catch(() => ({}))) as { faults?: Fault[] };
  const [, pageId] = /^\/orders\/([0-9a-f]+)$/.exec(answer.headers.get('location') ?? '') ?? [];
  throw new Refusal(answer.status, problem.faults, pageId);
}
