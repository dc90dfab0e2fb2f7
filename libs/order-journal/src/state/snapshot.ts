import { compact } from '@tranche/runtime';
import { isDeepStrictEqual } from 'node:util';
import { METHOD_NAMES, METHODS, type Fault, type Method, type OperationKind } from '@tranche/contracts';
import { begunWith } from './history.js';
import {
  isOpen,
  SNAPSHOT_CONTENT_HASH,
  type Attempt,
  type End,
  type EventBody,
  type OperationState,
  type OrderState,
  type ProjectedEvent,
} from './order-state.js';
import {
  UnreadableJournalError,
  type PackedOperation,
  type PackedRest,
  type Snapshot,
  type SnapshotState,
} from './records.js';
import type { Change } from './history.js';
import { describe } from './terms.js';
import { RULES_VERSION } from './versions.js';

/** A snapshot is not the state that its records give: two readers would judge otherwise from here on. */
export class SnapshotMismatchError extends UnreadableJournalError {
  override name = 'SnapshotMismatchError';
}

/** An order that moved so lately may yet be answered: its verdicts and tokens are kept. Older commands are refused (`COMMAND_LIFETIME_MS`). */
export const RECENT_MS = 7 * 86_400_000;

/** The compact form of an order at a time by its records. */
export function snapshotOf(order: OrderState, at: string): SnapshotState {
  const {
    operations,
    verdicts,
    unmatchedEvidence,
    external,
    unauthorizedOutcomes,
    isPartial,
    isFrozen,
    movedAt,
    rulesVersion,
  } = order;
  const isRecent = !(Date.parse(at) - Date.parse(movedAt ?? '') > RECENT_MS);
  const isAny = (list: readonly unknown[] | undefined) => list !== undefined && list.length > 0;
  return plain({
    ops: operations.map((operation, index) =>
      operation.phase === 'ended' && !operation.mayYetSucceed && !isRecent
        ? packOperation(operation, operations.slice(0, index))
        : withoutEvents(operation),
    ),
    rules: rulesVersion !== undefined && rulesVersion > RULES_VERSION ? rulesVersion : undefined,
    moved: packTime(movedAt) ?? undefined,
    verdicts: isRecent && isAny(verdicts) ? verdicts : undefined,
    unmatchedEvidence: isAny(unmatchedEvidence)
      ? unmatchedEvidence.map((evidence) => ({ ...withoutTexts(evidence), answer: withoutTexts(evidence.answer) }))
      : undefined,
    external: isAny(external) ? external.map(withoutOffset) : undefined,
    unauthorizedOutcomes: isAny(unauthorizedOutcomes) ? unauthorizedOutcomes : undefined,
    partial: isPartial ? true : undefined,
    frozen: isFrozen ? true : undefined,
  });
}

/**
 * A record whose history matches replaces the order by its compact form, whether the order is known whole or from its middle on. Otherwise it is void,
 * and its writer writes a new one. As the first record that retention kept it may have been void where it was written. No reader can know, so its state
 * holds until the next snapshot that matches replaces it (R12).
 * @throws SnapshotMismatchError where the whole history is known and gives another state
 */
export function foldSnapshot(before: OrderState, { order: after, hash, match }: Change, record: Snapshot): OrderState {
  // The record decides, not the order: a reader that knows less of the order must decide alike.
  if (match === 'other' || record.state.ops.some(isPackedOpen)) return after;
  if (match === 'fewer') return after;
  if (match === 'whole' && !isDeepStrictEqual(snapshotOf(before, record.at), plain(record.state)))
    throw new SnapshotMismatchError(`The snapshot of order ${before.orderId} is not the state of its records`);
  const order = unpack(record, after.lastOffset);
  return { ...order, history: begunWith(hash, record.seen) };
}

function unpack({ merchant, orderId, at, rulesVersion, state }: Snapshot, lastOffset: string): OrderState {
  const withOffset = <T extends { record?: string }>(event: T): T => ({ offset: lastOffset, ...event });
  const operations: OperationState[] = [];
  for (const carried of state.ops) {
    if (Array.isArray(carried)) operations.push(unpackOperation(carried, operations, lastOffset));
    else operations.push(carried.latest ? { ...carried, latest: withOffset(carried.latest) } : carried);
  }
  return compact({
    ...{ merchant, orderId, operations },
    verdicts: state.verdicts ?? [],
    unmatchedEvidence: state.unmatchedEvidence ?? [],
    external: (state.external ?? []).map(withOffset),
    unauthorizedOutcomes: state.unauthorizedOutcomes,
    rulesVersion: Math.max(rulesVersion, state.rules ?? RULES_VERSION),
    movedAt: unpackTime(state.moved),
    isPartial: state.partial,
    isFrozen: state.frozen,
    snapshotAt: at,
    lastOffset,
  });
}

const isPackedOpen = (carried: PackedOperation | OperationState): boolean => !Array.isArray(carried) && isOpen(carried);

/** As it is after a trip through JSON. */
const plain = (state: SnapshotState): SnapshotState => JSON.parse(JSON.stringify(state)) as SnapshotState;

const KINDS = { authorize: 'a', pay: 'p', capture: 'c', refund: 'r', void: 'v' } as const satisfies Record<
  OperationKind,
  string
>;
const METHOD_LETTERS = Object.fromEntries(METHOD_NAMES.map((name) => [name, METHODS[name].letter])) as Record<
  Method,
  string
>;
const ENDS = {
  succeeded: 's',
  refused: 'f',
  rejected: 'j',
  not_executed: 'n',
  given_up: 'g',
  expired: 'x',
} as const satisfies Record<End, string>;
const EVENT_NAMES: Record<End, string> = {
  ...{ succeeded: 'succeeded', refused: 'refused', rejected: 'rejected' },
  ...{ not_executed: 'doubt_resolved', given_up: 'rejected', expired: 'expired' },
};
/** The latest event of most operations has these fields besides those of the operation. */
const EXPECTED: EventBody = { origin: 'answer', execCode: '0000' };

/** Texts and pages of an event or an answer are kept with the record that brought them, not in a snapshot. */
export function withoutTexts<T extends object>(said: T): T {
  const kept = { ...said } as Record<string, unknown>;
  for (const name of TEXTS) delete kept[name];
  if (Array.isArray(kept['faults']))
    kept['faults'] = (kept['faults'] as Fault[]).map(({ path, code }) => ({ path, code, message: code }));
  return kept as T;
}

const TEXTS = [
  ...['message', 'messageTruncated', 'descriptor', 'descriptorTruncated', 'extraData', 'redirectHtml'],
  'redirectHtmlDropped',
];

export function packOperation(operation: OperationState, earlier: readonly OperationState[]): PackedOperation {
  const { commandId, operation: kind, method, end = 'rejected', attempt, currency, latest, attempts } = operation;
  const { amount, transactionId, reference, contentHash, endedAt, ...others } = operation;
  const rest: PackedRest = { ...others };
  for (const name of [...HANDLED, ...DROPPED]) delete rest[name];
  const index = earlier.findIndex((other) => reference !== undefined && other.transactionId === reference);
  const tried = attempts.map(
    ({ attempt: number, isTagged, transactionId: id, closed }) =>
      [number, isTagged ? 1 : 0, id ?? null, ...(closed ? [closed] : [])] as unknown,
  ) as NonNullable<PackedRest['tried']>;
  const seldom = compact({
    ...rest,
    currency: currency === 'EUR' ? undefined : currency,
    tried: isDeepStrictEqual(tried, triedAsExpected(end, attempt, transactionId)) ? undefined : tried,
    event: eventPart(operation, latest),
  });
  return [
    commandId,
    `${KINDS[kind]}${METHOD_LETTERS[method]}${ENDS[end]}${attempt}`,
    amount ?? null,
    transactionId ?? null,
    index >= 0 ? index : (reference ?? null),
    contentHash.slice(0, SNAPSHOT_CONTENT_HASH),
    packTime(endedAt),
    latest?.record ?? null,
    ...(Object.keys(seldom).length > 0 ? ([seldom] as [PackedRest]) : ([] as [])),
  ];
}

/** `offset`: of the record that carries it. */
export function unpackOperation(
  [commandId, kind, amount, transactionId, reference, contentHash, endedAt, record, rest = {}]: PackedOperation,
  earlier: readonly OperationState[],
  offset: string,
): OperationState {
  const { tried, event, currency = 'EUR', ...others } = rest;
  const end = nameOf(ENDS, kind[2]);
  const attempt = Number(kind.slice(3));
  const attempts = (tried ?? triedAsExpected(end, attempt, transactionId ?? undefined)).map(
    ([number, isTagged, id, closed]): Attempt =>
      compact({
        attempt: number,
        token: '',
        intentAt: '',
        isTagged: isTagged === 1,
        transactionId: id ?? undefined,
        closed,
      }),
  );
  const operation: OperationState = compact({
    ...{
      commandId,
      operation: nameOf(KINDS, kind[0]),
      method: nameOf(METHOD_LETTERS, kind[1]),
      currency,
      contentHash,
      attempt,
    },
    ...{ phase: 'ended' as const, end, amount: amount ?? undefined, transactionId: transactionId ?? undefined },
    reference: typeof reference === 'number' ? earlier[reference]?.transactionId : (reference ?? undefined),
    endedAt: unpackTime(endedAt),
    ...{ attempts, evidence: [] },
    ...others,
  });
  if (record === null && event?.offset === undefined) return operation;
  return { ...operation, latest: latestEvent(operation, event, record ?? undefined, offset) };
}

/** An operation that moved lately, or has not ended, is kept whole but for its list of events, the operator's reason, and that its amount was reported. */
export function withoutEvents({ events, resolvedBy, isAmountReported, ...operation }: OperationState): OperationState {
  void [events, resolvedBy, isAmountReported];
  const { latest } = operation;
  if (!latest) return operation;
  return { ...operation, latest: withoutOffset({ ...latest, body: withoutTexts(latest.body) }) };
}

/** An event that its record's hash names is kept without offset, which is another one wherever the journal lies. */
export function withoutOffset<T extends { offset: string; record?: string }>({ offset, ...event }: T): T {
  return (event.record === undefined ? { ...event, offset } : event) as T;
}

const HANDLED = [
  'commandId',
  'operation',
  'method',
  'end',
  'phase',
  'attempt',
  'currency',
  'latest',
  'attempts',
] as const;
/** Neither guards nor evidence read these fields of an operation that has ended. */
const DROPPED = [
  ...(['since', 'firstIntentAt', 'evidence', 'events', 'token', 'lastNotExecuted'] as const),
  ...(['authRefusals', 'resolvedBy', 'isAmountReported'] as const),
];

function triedAsExpected(
  end: End,
  attempt: number,
  transactionId: string | undefined,
): NonNullable<PackedRest['tried']> {
  return end === 'rejected' && attempt === 1 ? [] : [[attempt, 1, transactionId ?? null]];
}

function eventPart(operation: OperationState, latest: ProjectedEvent | undefined): PackedRest['event'] {
  if (!latest) return undefined;
  const { type, time, nth, offset, record, correlationId, body } = latest;
  const expected = describe(operation);
  const said = withoutTexts(body);
  const more = Object.fromEntries(Object.entries(said).filter(([name]) => !(name in expected))) as EventBody;
  const isDescribed = Object.entries(expected).every(([name, value]) =>
    isDeepStrictEqual(said[name as keyof EventBody], value),
  );
  const part: NonNullable<PackedRest['event']> = compact({
    type: type === typeOf(operation) ? undefined : type,
    time: time === operation.endedAt ? undefined : time,
    nth,
    offset: record === undefined ? offset : undefined,
    correlationId: correlationId === operation.correlationId ? undefined : correlationId,
    ...(isDescribed ? { more: isDeepStrictEqual(more, EXPECTED) ? undefined : more } : { body: said }),
  });
  return Object.keys(part).length > 0 ? part : undefined;
}

function latestEvent(
  operation: OperationState,
  part: PackedRest['event'] = {},
  record: string | undefined,
  offset: string,
): ProjectedEvent {
  const { more = EXPECTED, ...known } = part;
  return compact({
    type: typeOf(operation),
    offset,
    record,
    time: operation.endedAt ?? '',
    correlationId: operation.correlationId,
    body: { ...compact(describe(operation)), ...more },
    ...known,
  });
}

const typeOf = ({ operation, end = 'rejected' }: OperationState): string => `payment.${operation}.${EVENT_NAMES[end]}`;

function nameOf<Name extends string>(letters: Record<Name, string>, letter: string | undefined): Name {
  return (Object.keys(letters) as Name[]).find((name) => letters[name] === letter)!;
}

/** As a number where nothing is lost by it. */
export function packTime(time: string | undefined): number | string | null {
  if (time === undefined) return null;
  const ms = Date.parse(time);
  return Number.isFinite(ms) && new Date(ms).toISOString() === time ? ms : time;
}

export function unpackTime(time: number | string | null | undefined): string | undefined {
  return typeof time === 'number' ? new Date(time).toISOString() : (time ?? undefined);
}
