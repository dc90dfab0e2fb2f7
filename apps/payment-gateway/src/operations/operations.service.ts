import { Injectable } from '@nestjs/common';
import { orderKey, parseOrderKey } from '@tranche/contracts';
import { assertMerchant, mayAct, type OperatorIdentity } from '@tranche/operators';
import {
  CLOCKS_APART_MS,
  compact,
  conflictsOf,
  findOperation,
  fold,
  isInDoubt,
  isLookUpReminder,
  isWaiting,
  journalPartition,
  mayWrite,
  whatIf,
  recordWriter,
  standingOf,
  timersOf,
  type EventBody,
  type EvidenceRecord,
  type OperationState,
  type OrderState,
  type Said,
  type Settled,
  type Settlement,
  type WhatIf,
  operationIdOf,
  parseOperationId,
} from '@tranche/order-journal';
import { mayBeLookedUp } from '@tranche/platform';
import { Problem, ServiceLogger, type ProblemOptions } from '@tranche/service-kit';
import { Clock, isoTime } from '../clock.js';
import { GatewayConfig } from '../gateway.config.js';
import { Journal, type OrderAsOf } from '../journal/journal.service.js';
import {
  OrderIndexStore,
  unreachable,
  type ListedOrders,
  type MissingPartition,
} from '../journal/order-index.store.js';
import { nextLookUpMs } from '../look-up-schedule.js';
import { isWanted, notACursor, pageOf, type Listed, type ListQuery } from './listing.js';
import { aboutOf, saidIn, type Decision, type Words } from '../decisions/decision.js';
import { changeSince, stateOf } from '../decisions/resolution.js';
import { notSettled, settlementRecord, type ManualSettlement } from '../decisions/manual-settlement.js';
import {
  conflictView,
  doubtView,
  frozenOrderView,
  frozenView,
  statementOf,
  operationView,
  orderView,
  type OperationView,
} from './order-view.js';
import {
  resolutionEvidence,
  notExecutedAfterMs,
  resolved,
  type ManualResolution,
} from '../decisions/manual-resolution.js';

/** Maximum wait for the journal's or Redis's answer. Milliseconds. */
const WAIT_MS = 10_000;

const UNREADABLE = { status: 503, code: 'unavailable', detail: 'The order can not be read now. Try again later.' };

interface Page {
  /** Time of the read. The index may lag behind the journal, see `tranche_index_behind_seconds`. */
  readAt: string;
  /** Value of `after` for the next page; absent on the last one. */
  next?: string;
  /** Partitions whose orders are not listed, or not all of them; absent where all are. */
  missing?: MissingPartition[];
}
export type DoubtsPage = Page & { operations: ReturnType<typeof doubtView>[] };
export type FrozenPage = Page & { orders: ReturnType<typeof frozenOrderView>[] };
export type ConflictsPage = Page & { conflicts: ReturnType<typeof conflictView>[] };

/** The fold's judgement of an approved proposal, as both people see it. */
export interface DecisionJudgement {
  verdict: Said['verdict'];
  code?: 'proposal_stale';
  detail?: string;
}

/** A person's words as the journal would hold them; `was`: how their operation or conflict stands. */
interface Checked {
  order: OrderState;
  record: EvidenceRecord | Settled;
  was: string;
  operation?: OperationState;
}

/** Facts of the second person's approval, and the order that the proposal was about. */
export interface Approval {
  approvedBy: string;
  proposal: string;
  seen: string;
  was: string;
}

@Injectable()
export class OperationsService {
  readonly #notExecutedAfterMs: number;

  constructor(
    private readonly config: GatewayConfig,
    private readonly journal: Journal,
    private readonly index: OrderIndexStore,
    private readonly clock: Clock,
    private readonly log: ServiceLogger,
  ) {
    this.#notExecutedAfterMs = notExecutedAfterMs(config);
  }

  /** Lists operations in doubt, by merchant and orderId. An order has at most one, and more only where an authorization superseded a doubtful one. */
  async inDoubt(query: ListQuery, operator: OperatorIdentity): Promise<DoubtsPage> {
    const times = { nowMs: this.clock.nowMs(), notExecutedAfterMs: this.#notExecutedAfterMs };
    const { listed, ...page } = await this.#list(this.index.ordersInDoubt(), query, operator, (order) =>
      order.operations.filter(isInDoubt).map((operation) => doubtView(order, operation, times)),
    );
    return { operations: listed, ...page };
  }

  /** Lists conflicts, by merchant and orderId. Two people settle one; a void of a second payment ends it too. */
  async inConflict(query: ListQuery, operator: OperatorIdentity): Promise<ConflictsPage> {
    const { listed, ...page } = await this.#list(this.index.ordersInConflict(), query, operator, (order) =>
      conflictsOf(order).map((conflict) => conflictView(order, conflict, this.journal.epoch)),
    );
    return { conflicts: listed, ...page };
  }

  /** Lists frozen orders, by merchant and orderId. One stays frozen for ever. */
  async frozen(query: ListQuery, operator: OperatorIdentity): Promise<FrozenPage> {
    // A record without a readable key belongs to no order that anybody could name.
    const named = this.index.frozenOrders().then(({ orderKeys, missing }) => ({
      orderKeys: orderKeys.filter((key) => parseOrderKey(key) !== undefined),
      missing,
    }));
    const { listed, ...page } = await this.#list(named, query, operator, (order) =>
      order.isFrozen ? [frozenOrderView(order, this.journal.skips)] : [],
    );
    return { orders: listed, ...page };
  }

  /**
   * A page of what these orders show. By merchant and orderId an order is never cut in two, and only the orders of the page are read; another sort reads
   * all. A partition that can't be read is named, and hides no other one.
   */
  async #list<T extends Listed>(
    orders: Promise<ListedOrders>,
    query: ListQuery,
    operator: OperatorIdentity,
    shows: (order: OrderState) => T[],
  ): Promise<Page & { listed: T[] }> {
    const readAt = isoTime(this.clock);
    const { merchant, limit, after, sort = 'order' } = query;
    const nowMs = this.clock.nowMs();
    if (merchant !== undefined) assertMerchant(operator, merchant);
    const isByOrder = sort === 'order';
    const afterKey = after === undefined || !isByOrder ? undefined : keyOf(after);
    const { orderKeys, missing: unlisted } = await this.#available(orders);
    const missing = new Map(unlisted.map((one) => [one.partition, one]));
    const keys = orderKeys
      .filter((key) => (merchant === undefined || key.startsWith(`${merchant}/`)) && mayAct(operator, merchantOf(key)))
      .sort()
      .filter((key) => afterKey === undefined || key > afterKey);
    const listed: T[] = [];
    let next: string | undefined;
    for (const [position, key] of keys.entries()) {
      const partition = journalPartition(key);
      if (missing.has(partition)) continue;
      const read = await this.#orderAsOf(key).catch(() => void missing.set(partition, unreachable(partition)));
      if (read) listed.push(...shows(read.order).filter((one) => isWanted(one, query, nowMs)));
      if (!isByOrder || listed.length < limit || position === keys.length - 1) continue;
      next = listed.at(-1)!.id;
      break;
    }
    const page = isByOrder ? { listed, next } : pageOf(listed, query);
    return compact({ ...page, readAt, missing: missing.size === 0 ? undefined : [...missing.values()] });
  }

  /**
   * Returns the order and the record that a resolution or settlement would append.
   * @throws Problem where it can't count, or this person may not say it
   */
  async check(words: Words, operator: OperatorIdentity, approval?: Approval): Promise<Checked> {
    const { actor } = saidIn(words);
    if (actor !== undefined && actor !== operator.person) {
      throw new Problem({
        status: 403,
        code: 'actor_mismatch',
        detail: 'The key is that of another operator than actor.',
      });
    }
    const name = parseOperationId(aboutOf(words));
    const code = 'resolution' in words ? 'operation_unknown' : 'conflict_unknown';
    if (!name) throw new Problem({ status: 404, code, detail: 'This is no id of the list.' });
    const { merchant, orderId, commandId } = name;
    assertMerchant(operator, merchant);
    const order = await this.#available(this.journal.read(merchant, orderId));
    // Checked first: an operation that changed is often not in doubt any more, and the approver must learn why.
    const isOf = whatIs(words, order, commandId);
    if (approval && standingOf(order) !== approval.seen) throw stale(approval, isOf, words);
    if ('settlement' in words) {
      const record = this.#checkSettlement(order, commandId, words, operator);
      const conflict = conflictsOf(order).find(({ id }) => id === commandId);
      const operation = findOperation(order, conflict?.commandId ?? '');
      return { order, record, was: isOf!, ...compact({ operation }) };
    }
    const { resolution } = words;
    await this.#refuseTransactionOfAnother(order, resolution);
    const isTimed = resolution.outcome === 'not_executed' || order.operations.some(isWaiting);
    if (isTimed) await this.#assertClock();
    const record = resolutionEvidence(order, {
      commandId,
      resolution,
      operator: operator.person,
      nowMs: this.clock.nowMs(),
      notExecutedAfterMs: this.#notExecutedAfterMs,
    });
    return { order, operation: findOperation(order, commandId)!, record, was: isOf! };
  }

  /**
   * Tells the consequences of what a person would say. Nothing is written.
   * @throws Problem where it can't count, as if it were said
   */
  async dryRun(words: Words, operator: OperatorIdentity): Promise<{ checked: Checked; consequences: DryRunView }> {
    const checked = await this.check(words, operator);
    const { order, record, operation } = checked;
    const unsaid = recordWriter(this.config.rulesVersion)(record);
    const { order: then, effects, opens, closes, conflictsWith } = whatIf(order, unsaid, operation?.commandId);
    const events = effects.map(({ event: { type, body } }) => ({ type, ...body }));
    const view = orderView(then, this.journal.epoch);
    return { checked, consequences: { dryRun: true, order: view, events, opens, closes, conflictsWith } };
  }

  /** The fold judges the settlement before anybody approves it, as it will judge the record. */
  #checkSettlement(
    order: OrderState,
    conflict: string,
    { settlement }: { settlement: ManualSettlement },
    { person }: OperatorIdentity,
  ): Settled {
    if (!mayWrite('SETTLED', this.config.rulesVersion)) {
      const detail =
        'This installation writes an older RULES_VERSION, which has no settlements. Raise it once every instance reads the newer one.';
      throw new Problem({ status: 409, code: 'rules_version_too_old', detail });
    }
    const record = settlementRecord(order, { conflict, settlement, operator: person, nowMs: this.clock.nowMs() });
    const unsaid = recordWriter(this.config.rulesVersion)(record);
    const judged = fold(order, unsaid, BigInt(order.lastOffset) + 1n).order.settlements?.at(-1);
    if (judged?.verdict !== 'counted') throw notSettled(judged?.found);
    return record;
  }

  /**
   * Appends what was said and returns the operation, or the settlement, as the fold shows it then, or that the record waits for the owner of its partition.
   * `ResolutionDecisions` decides if one person is enough.
   */
  async say(
    words: Words,
    operator: OperatorIdentity,
    approval?: Approval,
  ): Promise<OperationView | SettlementView | RecordedDecision> {
    const { order, record, was } = await this.check(words, operator, approval);
    const { approvedBy, proposal } = approval ?? {};
    const said = { ...record, ...compact({ approvedBy, proposal }) } as typeof record;
    const offset = await this.#journaled(said);
    const { merchant, orderId } = order;
    const { commandId } = parseOperationId(aboutOf(words))!;
    const { outcome } = saidIn(words);
    const folded = await this.journal.stateAfter(merchant, orderId, offset);
    const statement = folded && judgedIn(words, folded, commandId, said);
    this.log.info(
      compact({ operator: operator.person, approvedBy, merchant, orderId, commandId, outcome, ...statement }),
      'An operator said what became of a doubt or conflict',
    );
    if (folded === undefined) {
      const partition = journalPartition(orderKey(merchant, orderId));
      return recordedDecision({ merchant, orderId, commandId }, { partition, offset: String(offset) });
    }
    if (statement?.verdict === 'stale')
      throw approval ? stale(approval, foundBy(words, folded, statement), words) : notCounted(was, statement.found);
    if ('resolution' in words)
      return operationView(folded, resolved(folded, commandId, words.resolution), this.journal.epoch);
    if (statement?.verdict !== 'counted') throw notSettled(statement?.found);
    const conflicts = conflictsOf(folded).map((conflict) => conflictView(folded, conflict, this.journal.epoch));
    return { id: words.conflict, merchant, orderId, settled: statement as Settlement, conflicts };
  }

  /** Returns what the fold made of an approved proposal; undefined until it is judged, or where the order can't be read. */
  async judgementOf({ id, subject }: Decision): Promise<DecisionJudgement | undefined> {
    const { merchant, orderId, was } = subject;
    const { commandId = '' } = parseOperationId(aboutOf(subject)) ?? {};
    const order = await this.#inTime(this.journal.read(merchant, orderId), { status: 503, code: 'unavailable' }).catch(
      () => undefined,
    );
    const statement = order && judgedIn(subject, order, commandId, { proposal: id });
    if (order === undefined || statement === undefined) return undefined;
    const { verdict } = statement;
    const detail = changeSince({ was }, foundBy(subject, order, statement), whatOf(subject));
    return verdict === 'stale' ? { verdict, code: 'proposal_stale', detail } : { verdict };
  }

  async order(merchant: string, orderId: string, operator: OperatorIdentity) {
    assertMerchant(operator, merchant);
    const readAt = isoTime(this.clock);
    const { order, partition, offset } = await this.#orderAsOf(orderKey(merchant, orderId));
    const { operations, external, unmatchedEvidence, isFrozen } = order;
    if (operations.length + external.length + unmatchedEvidence.length === 0 && !isFrozen) {
      throw new Problem({ status: 404, code: 'order_unknown', detail: 'The journal has nothing of this order.' });
    }
    const view = orderView(order, this.journal.epoch);
    // The last journal record of the order's partition that the answer includes.
    const asOf = { partition, offset: String(offset), readAt };
    const deadlines = compact({ ...view.deadlines, nextLookUpAt: this.#nextLookUpAt(order) });
    return { ...view, ...(isFrozen && { frozen: frozenView(order, this.journal.skips) }), asOf, deadlines };
  }

  #nextLookUpAt(order: OrderState): string | undefined {
    const { merchants, lookUpAfterMs } = this.config;
    if (!mayBeLookedUp(order.orderId, merchants.byName(order.merchant))) return undefined;
    const doubt = order.operations.find(isInDoubt);
    const waiting = timersOf(order).find(({ timer }) => isLookUpReminder(timer));
    const nextMs = doubt === undefined ? waiting?.atMs : nextLookUpMs(doubt, lookUpAfterMs, this.clock.nowMs());
    return nextMs === undefined ? undefined : new Date(nextMs).toISOString();
  }

  /** @throws Problem where another order of the merchant has the TRANSACTIONID, and where that can't be told */
  async #refuseTransactionOfAnother(
    { merchant, orderId }: OrderState,
    { transactionId }: ManualResolution,
  ): Promise<void> {
    if (transactionId === undefined) return;
    const notRecorded = 'Nothing was recorded: it can not be told now if another order has the TRANSACTIONID.';
    const unavailable = { status: 503, code: 'unavailable' };
    const { orderIds, missing } = await this.#inTime(this.journal.ordersOfTransaction(merchant, transactionId), {
      ...unavailable,
      detail: `${notRecorded} Try again later.`,
    });
    const other = orderIds.find((holder) => holder !== orderId);
    if (other !== undefined) throw transactionOfAnother(other);
    if (missing.length === 0) return;
    const why = missing.map(({ detail }) => detail).join(' ');
    throw new Problem({ ...unavailable, detail: `${notRecorded} ${why} Say it again once it can be read.` });
  }

  /** The 15 minutes and the day are measured by our clock, so it must agree with that of Redis. */
  async #assertClock(): Promise<void> {
    const apartMs = Math.abs((await this.#available(this.index.timeMs())) - this.clock.nowMs());
    if (apartMs <= CLOCKS_APART_MS) return;
    const detail = `The clocks of this service and of Redis are ${Math.round(apartMs / 1000)} s apart: how much time has passed is not known.`;
    throw new Problem({ status: 503, code: 'clocks_apart', detail });
  }

  #orderAsOf(key: string): Promise<OrderAsOf> {
    const name = parseOrderKey(key);
    if (!name) throw new Problem({ status: 404, code: 'order_unknown', detail: 'This is no name of an order.' });
    return this.#available(this.journal.readAsOf(name.merchant, name.orderId));
  }

  /** A failed append may still have reached the journal, so the problem asks the operator to look before repeating it. */
  async #journaled(record: EvidenceRecord | Settled): Promise<bigint> {
    const detail = 'Whether the resolution was taken is not known. Look at the order before you say it again.';
    return this.#inTime(this.journal.append(record), { status: 503, code: 'resolution_not_confirmed', detail });
  }

  #available<T>(read: Promise<T>): Promise<T> {
    return this.#inTime(read, UNREADABLE);
  }

  async #inTime<T>(work: Promise<T>, otherwise: ProblemOptions): Promise<T> {
    const done = new AbortController();
    const tooLong = this.clock
      .sleep(WAIT_MS, done.signal)
      .then(() => Promise.reject(new Error(`No answer within ${WAIT_MS} ms`)));
    try {
      return await Promise.race([work, tooLong]);
    } catch (cause) {
      this.log.warn({ err: cause }, 'An operator could not be answered');
      throw new Problem({ ...otherwise, cause });
    } finally {
      done.abort(new Error('answered'));
    }
  }
}

/** `where`: how the other order came to it. */
export function transactionOfAnother(orderId: string, where = ''): Problem {
  const detail = `The TRANSACTIONID is that of order ${orderId}${where}. Look both up in the back office of the platform.`;
  return new Problem({ status: 409, code: 'transaction_of_another', detail });
}

/** Reports that a statement of one person alone does not count, because the order has moved on since it was read. */
function notCounted(was: string, is: string | undefined): Problem {
  return new Problem({ status: 409, code: 'resolution_not_counted', detail: changeSince({ was }, is) });
}

export function stale({ was }: Pick<Approval, 'was'>, is: string | undefined, words: Words): Problem {
  return new Problem({ status: 409, code: 'proposal_stale', detail: changeSince({ was }, is, whatOf(words)) });
}

const whatOf = (words: Words): string => ('resolution' in words ? 'operation' : 'conflict');

/** State of the operation or the conflict; undefined where the order has no such operation. */
function whatIs(words: Words, order: OrderState, commandId: string): string | undefined {
  if ('settlement' in words) return conflictsOf(order).some(({ id }) => id === commandId) ? 'open' : 'gone';
  const operation = findOperation(order, commandId);
  return operation && stateOf(operation);
}

/** State of it when the fold judged what was said. */
const foundBy = (words: Words, order: OrderState, { found }: Said): string | undefined =>
  'resolution' in words ? found : whatIs(words, order, parseOperationId(words.conflict)!.commandId);

/** The fold's judgement. */
const judgedIn = (
  words: Words,
  order: OrderState,
  commandId: string,
  said: Parameters<typeof statementOf>[1],
): Said | undefined =>
  statementOf<Said>('resolution' in words ? findOperation(order, commandId)?.statements : order.settlements, said);

/** Consequences of what a person would say: the order then, its events, operations that guards let through or refuse then, and results that would be conflicts. */
export interface DryRunView extends Pick<WhatIf, 'opens' | 'closes' | 'conflictsWith'> {
  dryRun: true;
  order: ReturnType<typeof orderView>;
  events: ({ type: string } & EventBody)[];
}

export interface SettlementView {
  id: string;
  merchant: string;
  orderId: string;
  settled: Settlement;
  /** Those that the order shows still. */
  conflicts: ReturnType<typeof conflictView>[];
}

const merchantOf = (key: string): string => key.slice(0, key.indexOf('/'));

/** Order key of the last entry on the page before. */
function keyOf(id: string): string {
  const name = parseOperationId(id);
  if (name) return orderKey(name.merchant, name.orderId);
  throw notACursor();
}

/** Answer to a decision that is in the journal, and that the owner of its partition has not folded yet. It may still turn out not to count. */
export type RecordedDecision = ReturnType<typeof recordedDecision>;

function recordedDecision(
  name: { merchant: string; orderId: string; commandId: string },
  recorded: { partition: number; offset: string },
) {
  const { merchant, orderId } = name;
  return {
    id: operationIdOf(name),
    ...name,
    recorded,
    detail: 'The decision is recorded and not judged yet. Look at the order until its asOf reaches this record.',
    /** Shows the result once its `asOf` reaches this record. */
    lookAt: `/v1/orders/${merchant}/${encodeURIComponent(orderId)}`,
  };
}
