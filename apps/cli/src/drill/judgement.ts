import type { Situation } from './situations.js';
import { ledgerOf, MERCHANT, type Stage } from './stage.js';

/** Money in minor units. */
const SUMS = { authorized: 'authorization', captured: 'capture', refunded: 'refund' } as const;
type Sums = Record<keyof typeof SUMS, number>;
const NAMES = Object.keys(SUMS) as (keyof Sums)[];
const SUCCEEDED = ['0000', '0004', '0016'];

interface Deed {
  at: string;
  by: string;
  what: string;
}

export type Judgement = { order: string; done: Deed[]; minutes: number } & (
  | { verdict: 'open'; open: string }
  | {
      /** `needless`: it ended well, and what people did was not needed. */
      verdict: 'solved' | 'needless' | 'wrong';
      situation: string;
      /** The platform executed this, and the orders show that here. */
      platform: Sums;
      books: Sums;
      /** `maybeTwice`: moved there and not known here, so it may be moved once more. `leftUndone`: known here and never moved. */
      cost: { maybeTwice: number; leftUndone: number };
      right: string;
    }
);

/** Judges by the simulator's ledger, the state of the orders, and the audit since the start. What is open tells nothing of the ledger. */
export async function judge(situation: Situation, stage: Stage, startedAt: string): Promise<Judgement> {
  const open = await situation.judge(stage);
  const orders = await stage.orders();
  const moved = orders.map(({ movedAt }) => Date.parse(movedAt));
  const endedMs = open === undefined ? Math.max(...moved) : Date.now();
  const minutes = Math.max(0, Math.round((endedMs - Date.parse(startedAt)) / 6_000) / 10);
  const about = { order: `${MERCHANT}/${stage.orderId}`, done: await doneSince(stage, startedAt), minutes };
  if (open !== undefined) return { ...about, verdict: 'open', open };
  const ledgers = await Promise.all(orders.map(({ orderId }) => ledgerOf(orderId)));
  const shown = await Promise.all(orders.map(({ orderId }) => stage.order(orderId)));
  const executed = ledgers.flatMap(({ operations }) => operations).filter((one) => SUCCEEDED.includes(one.finalExecCode));
  const platform = sums((name) => executed.map((one) => (one.operationType === SUMS[name] ? one.amount : 0)));
  const books = sums((name) => shown.map((order) => Number(order?.amounts[name] ?? 0)));
  const cost = { maybeTwice: excess(platform, books), leftUndone: excess(books, platform) };
  const isNeedless = situation.endsByItself === true && about.done.length > 0;
  const verdict = cost.maybeTwice + cost.leftUndone > 0 ? 'wrong' : isNeedless ? 'needless' : 'solved';
  return { ...about, verdict, situation: situation.title, platform, books, cost, right: situation.right };
} // prettier-ignore

const total = (amounts: readonly number[]): number => amounts.reduce((sum, amount) => sum + amount, 0);
const sums = (amounts: (name: keyof Sums) => number[]): Sums =>
  Object.fromEntries(NAMES.map((name) => [name, total(amounts(name))])) as Sums;
const excess = (one: Sums, other: Sums): number => total(NAMES.map((name) => Math.max(0, one[name] - other[name])));

/** Lists what people changed: of the orders, their dead letters, and the switches that hold them up. */
async function doneSince(stage: Stage, startedAt: string): Promise<Deed[]> {
  const ofOrder = { merchant: MERCHANT, orderId: stage.orderId };
  const [audit, letters] = await Promise.all([stage.records('audit'), stage.records('dead-letters', ofOrder)]);
  const places = letters.map(({ id }) => `/${id.replace('-', '/')}`);
  const isOurs = ({ orderId, scope, deadLetter }: Record<string, unknown>) =>
    String(orderId).startsWith(stage.orderId) ||
    [`merchant:${MERCHANT}`, 'rail:partner-a', 'rail:partner-b'].includes(String(scope)) ||
    places.some((place) => String(deadLetter).endsWith(place));
  const isChange = (kind: string, { result }: Record<string, unknown>) =>
    !kind.endsWith('.read') && (result === 'done' || result === 'proposed');
  return audit
    .filter(({ at, kind, body }) => at >= startedAt && isChange(kind, body) && isOurs(body))
    .map(({ at, kind, body: { operator, outcome, scope } }) => ({
      at,
      by: String(operator),
      what: [kind, outcome, scope].filter(Boolean).join(' '),
    }))
    .reverse();
}
