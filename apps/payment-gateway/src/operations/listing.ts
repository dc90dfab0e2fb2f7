import { CONFLICT_REASONS } from '@tranche/order-journal';
import { Problem } from '@tranche/service-kit';

export const SORTS = ['order', 'urgency', 'age', 'amount'] as const;
export type Sort = (typeof SORTS)[number];

/** Filters, order and page of a list. Without a filter everything of the operator's merchants is listed. */
export interface ListQuery {
  merchant?: string;
  operation?: string;
  reason?: string;
  minAmount?: number;
  minAgeSeconds?: number;
  /** `order`, the default: by merchant and orderId. The others list the gravest, the oldest or the largest first. */
  sort?: Sort;
  limit: number;
  after?: string;
}

/** Facts of an entry that filters and orders use. */
export interface Listed {
  id: string;
  operation?: string | undefined;
  reason?: string | undefined;
  amount?: number | undefined;
  since?: string | undefined;
}

/** An entry without the fact that a filter asks for is left out; of an unknown amount nobody knows that it is small, so it stays. */
export function isWanted(
  { operation, reason, amount, since }: Listed,
  { minAmount = 0, minAgeSeconds = 0, ...wanted }: ListQuery,
  nowMs: number,
): boolean {
  const ofKind = wanted.operation === undefined || wanted.operation === operation;
  const ofReason = wanted.reason === undefined || wanted.reason === reason;
  const isOld = minAgeSeconds === 0 || nowMs - Date.parse(since ?? '') >= minAgeSeconds * 1000;
  return ofKind && ofReason && (amount ?? Infinity) >= minAmount && isOld;
}

type Rank = readonly [...number[], string];

/** The lower rank comes first; the id makes it unique. */
function rankOf({ id, reason, amount = 0, since }: Listed, sort: Sort): Rank {
  const sinceMs = since === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(since);
  const gravity = (CONFLICT_REASONS as readonly (string | undefined)[]).indexOf(reason);
  if (sort === 'age') return [sinceMs, id];
  return sort === 'amount' ? [-amount, id] : [gravity, -amount, sinceMs, id];
}

function compare(one: Rank, other: Rank): number {
  const at = one.findIndex((value, index) => value !== other[index]);
  return at < 0 ? 0 : one[at]! < other[at]! ? -1 : 1;
}

/** The page behind `after`, and the cursor of the next one. A cursor is of its sort: an entry that changed its rank may come again, and none is skipped that kept it. */
export function pageOf<T extends Listed>(
  all: readonly T[],
  { sort = 'urgency', limit, after }: ListQuery,
): { listed: T[]; next: string | undefined } {
  const from = after === undefined ? undefined : rankIn(after, sort);
  const ranked = all
    .map((entry) => ({ entry, rank: rankOf(entry, sort) }))
    .sort((one, other) => compare(one.rank, other.rank))
    .filter(({ rank }) => from === undefined || compare(rank, from) > 0);
  const page = ranked.slice(0, limit);
  const next = ranked.length > limit ? cursorOf(sort, page.at(-1)!.rank) : undefined;
  return { listed: page.map(({ entry }) => entry), next };
}

const cursorOf = (sort: Sort, rank: Rank): string => Buffer.from(JSON.stringify([sort, ...rank])).toString('base64url');

function rankIn(cursor: string, sort: Sort): Rank {
  try {
    const [of, ...rank] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as [string, ...Rank];
    if (of === sort) return rank;
  } catch {
    // No cursor of ours.
  }
  throw notACursor();
}

export function notACursor(): Problem {
  return new Problem({
    status: 400,
    code: 'invalid_request',
    detail: 'Some fields are not as they must be, see faults.',
    faults: [{ path: 'after', code: 'format', message: 'must be the next of a page of the same sort' }],
  });
}
