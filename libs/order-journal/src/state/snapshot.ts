import { compact } from '@tranche/runtime';
import { isDeepStrictEqual } from 'node:util';
import type { Fault } from '@tranche/contracts';
import { begunWith, type Change } from './history.js';
import { isOpen, knownAmount, type OperationState, type OrderState } from './order-state.js';
import type { Snapshot, SnapshotState } from './records.js';
import { RULES_VERSION } from './versions.js';

/** An order that moved so lately may yet be answered: its verdicts and tokens are kept. Older commands are refused (`COMMAND_LIFETIME_MS`). */
export const RECENT_MS = 7 * 86_400_000;

/**
 * The state of an order as a snapshot holds it, at a time by its records: plain JSON of the state (docs/decisions/0046). Left out are:
 * - texts and pages (`TEXTS`), which may be personal data and are kept as long as the journal's records; of faults their code stays;
 * - of an operation `events`, which only grows, `resolvedBy` and `statements`, which name people, as `settlements` does, and what is only shown to
 *   people: `lookUps`, and time and source of evidence;
 * - the offset of an event or report that its record's hash names: it is another one wherever the journal lies;
 * - of an order at rest its verdicts, and the tokens of operations that have ended: no call with them can be under way any more;
 * - `beganAt`, `snapshotAt`, `history`, `standing` and `lastOffset`, which the record itself gives.
 */
export function snapshotOf(order: OrderState, at: string): SnapshotState {
  const { merchant, orderId, settlements, beganAt, snapshotAt, history, standing, lastOffset, ...state } = order;
  void [merchant, orderId, settlements, beganAt, snapshotAt, history, standing, lastOffset];
  const isAtRest = Date.parse(at) - Date.parse(order.movedAt ?? '') > RECENT_MS;
  return plain({
    ...state,
    operations: order.operations.map((operation) => snapshotOfOperation(operation, isAtRest)),
    verdicts: isAtRest ? [] : order.verdicts,
    unmatchedEvidence: order.unmatchedEvidence.map((evidence) => ({
      ...withoutTexts({ ...evidence, at: undefined }),
      answer: withoutTexts(evidence.answer),
    })),
    external: order.external.map(withoutOffset),
  });
}

function snapshotOfOperation(known: OperationState, isAtRest: boolean): OperationState {
  const { events, resolvedBy, statements, lookUps, ...operation } = known;
  void [events, resolvedBy, statements, lookUps];
  const { latest, phase, mayYetSucceed, attempts } = operation;
  const isOver = isAtRest && phase === 'ended' && !mayYetSucceed;
  return {
    ...operation,
    evidence: operation.evidence.map((counted) => ({ ...counted, at: undefined, source: undefined })),
    ...(isOver && { token: undefined, attempts: attempts.map((attempt) => ({ ...attempt, token: '' })) }),
    ...(latest && { latest: withoutOffset({ ...latest, body: withoutTexts(latest.body) }) }),
  };
}

const TEXTS = [
  ...['message', 'messageTruncated', 'descriptor', 'descriptorTruncated', 'extraData', 'redirectHtml'],
  'redirectHtmlDropped',
];

function withoutTexts<T extends object>(said: T): T {
  const kept = { ...said } as Record<string, unknown>;
  for (const name of TEXTS) delete kept[name];
  if (Array.isArray(kept['faults']))
    kept['faults'] = (kept['faults'] as Fault[]).map(({ path, code }) => ({ path, code, message: code }));
  return kept as T;
}

function withoutOffset<T extends { offset: string; record?: string }>({ offset, ...event }: T): T {
  return (event.record === undefined ? { ...event, offset } : event) as T;
}

/** As it is after a trip through JSON. */
const plain = (state: SnapshotState): SnapshotState => JSON.parse(JSON.stringify(state)) as SnapshotState;

/** A snapshot is not the state that the same records give here: the writer's release or this one is wrong. */
export interface SnapshotMismatch {
  merchant: string;
  orderId: string;
  /** Names of the fields that differ, `operations.end` for one of an operation. No values: they may be personal data. */
  fields: readonly string[];
  /** The states differ in what was done: the written state is not adopted, and nothing is sent for the order any more. */
  isFrozen: boolean;
}

/** The order behind a snapshot. */
interface Restored {
  order: OrderState;
  mismatch?: SnapshotMismatch;
}

/**
 * A record whose history matches replaces the order by the state that is written, whether the order is known whole or from its middle on, so that all
 * readers decide alike. Otherwise it is void, and its writer writes a new one. As the first record that retention kept it may have been void
 * where it was written. No reader can know, so its state holds until the next snapshot that matches replaces it (R12).
 *
 * A reader that knows the same records whole compares. A state that differs is adopted and reported, unless it differs in what was done: then the own state
 * stays and the order is frozen, for the written one may have forgotten an attempt (docs/decisions/0046).
 */
export function foldSnapshot(before: OrderState, change: Change, record: Snapshot): Restored {
  const { order: after, match } = change;
  // The record decides, not the order: a reader that knows less of the order must decide alike.
  if (match === 'other' || record.state.operations.some(isOpen)) return { order: after };
  if (match === 'fewer') return { order: after };
  const order = restored(record, record.state, change);
  if (match !== 'whole') return { order };
  const own = snapshotOf(before, record.at);
  const fields = differing(own, record.state);
  if (fields.length === 0) return { order };
  const isFrozen = !isDeepStrictEqual(whatWasDone(own), whatWasDone(record.state));
  const mismatch = { merchant: order.merchant, orderId: order.orderId, fields, isFrozen };
  return isFrozen ? { order: { ...restored(record, own, change), isFrozen }, mismatch } : { order, mismatch };
}

function restored(
  { merchant, orderId, at, rulesVersion, seen }: Snapshot,
  state: SnapshotState,
  { order: { lastOffset }, hash }: Change,
): OrderState {
  const withOffset = <T extends { record?: string }>(event: T): T => ({ offset: lastOffset, ...event });
  const version = Math.max(rulesVersion, state.rulesVersion ?? RULES_VERSION);
  return compact({
    ...state,
    merchant,
    orderId,
    operations: state.operations.map((operation) =>
      operation.latest ? { ...operation, latest: withOffset(operation.latest) } : operation,
    ),
    external: state.external.map(withOffset),
    rulesVersion: version === RULES_VERSION ? undefined : version,
    snapshotAt: at,
    lastOffset,
    history: begunWith(hash, seen),
  });
}

function differing(own: SnapshotState, written: SnapshotState): string[] {
  const names = differingFields(own, written);
  if (!names.includes('operations') || own.operations.length !== written.operations.length) return names;
  const ofOperations = own.operations.flatMap((operation, at) => differingFields(operation, written.operations[at]!));
  return names.flatMap((name) =>
    name === 'operations' ? [...new Set(ofOperations)].map((field) => `operations.${field}`) : [name],
  );
}

const differingFields = <T extends object>(one: T, other: T): string[] =>
  (Object.keys({ ...one, ...other }) as (keyof T & string)[]).filter(
    (name) => !isDeepStrictEqual(one[name], other[name]),
  );

/** Attempts, successes and reports of them. A reader that knows fewer of these may grant an attempt, or a payment, a second time. */
const whatWasDone = ({
  operations,
  external,
  unauthorizedOutcomes = [],
  unmatchedEvidence,
  repairs,
  isFrozen,
}: SnapshotState) => [
  operations.map((one) => [
    ...[one.commandId, one.attempt, one.phase, one.end, one.mayYetSucceed, one.transactionId, one.reference],
    ...[knownAmount(one), one.attempts.map(({ attempt, closed, transactionId }) => [attempt, closed, transactionId])],
    one.conflictingReports?.map(({ result, transactionId }) => [result, transactionId]),
  ]),
  external.map(({ operation, result, transactionId, amount, of, isOverruled }) => [
    ...[operation, result, transactionId, amount, of, isOverruled],
  ]),
  unauthorizedOutcomes.map(({ commandId, attempt, result, transactionId, settled }) => [
    ...[commandId, attempt, result, transactionId, settled],
  ]),
  repairs,
  unmatchedEvidence.map(({ operation, result, answer }) => [operation, result, answer.transactionId]),
  isFrozen,
];
