import { isDeepStrictEqual } from 'node:util';
import {
  packOperation,
  packTime,
  unpackOperation,
  unpackTime,
  withoutPast,
  withoutPlace,
  withoutWords,
  type PackedOperation,
} from './carried-operation.js';
import { compact } from './draft.js';
import { begunWith, matchOf, namesFewer } from './history.js';
import { isOpen, type OperationState, type OrderState } from './order-state.js';
import { UnreadableJournalError, type Carried } from './records.js';
import { RULES_VERSION, type RulesVersion } from './rules-version.js';

/**
 * An order's compact state, as a CARRIED record holds it. No message, descriptor, EXTRADATA, operator or reason is in it, and no offset of
 * an event that is named by its record's hash.
 */
export interface CarriedState {
  ops: (PackedOperation | OperationState)[];
  /** Rules version of the order, where it is higher than the first one that has such records. */
  rules?: RulesVersion;
  moved?: number | string;
  verdicts?: OrderState['verdicts'];
  unbound?: OrderState['unbound'];
  external?: OrderState['external'];
  ungranted?: OrderState['ungranted'];
  partial?: true;
  frozen?: true;
}

/** A state that was carried over is not the one that its records give: two readers would judge otherwise from here on. */
export class CarriedStateError extends UnreadableJournalError {
  override name = 'CarriedStateError';
}

/** An order that moved so lately may yet be answered: its verdicts and tokens are kept. Older commands are refused (`COMMAND_LIFETIME_MS`). */
export const RECENT_MS = 7 * 86_400_000;

/** The compact form of an order at a time by its records. */
export function carriedState(order: OrderState, at: string): CarriedState {
  const { operations, verdicts, unbound, external, ungranted, isPartial, isFrozen, movedAt, rulesVersion } = order;
  const isRecent = !(Date.parse(at) - Date.parse(movedAt ?? '') > RECENT_MS);
  const isAny = (list: readonly unknown[] | undefined) => list !== undefined && list.length > 0;
  return plain({
    ops: operations.map((operation, place) =>
      operation.phase === 'ended' && !operation.mayYetSucceed && !isRecent
        ? packOperation(operation, operations.slice(0, place))
        : withoutPast(operation),
    ),
    rules: rulesVersion !== undefined && rulesVersion > RULES_VERSION ? rulesVersion : undefined,
    moved: packTime(movedAt) ?? undefined,
    verdicts: isRecent && isAny(verdicts) ? verdicts : undefined,
    unbound: isAny(unbound)
      ? unbound.map((evidence) => ({ ...withoutWords(evidence), answer: withoutWords(evidence.answer) }))
      : undefined,
    external: isAny(external) ? external.map(withoutPlace) : undefined,
    ungranted: isAny(ungranted) ? ungranted : undefined,
    partial: isPartial ? true : undefined,
    frozen: isFrozen ? true : undefined,
  });
}

/**
 * Where its history matches the order becomes its compact form, whole or cut alike; where it does not the record is void and its writer carries again.
 * As the first record that is kept it may have been void where it was written. Nobody can know, so what it says holds provisionally: the next one
 * that matches replaces it, by its last record (R12).
 * @param after the order with the record's place in its history, as it is if the record is void
 * @throws CarriedStateError where the whole history is known and gives another state
 */
export function foldCarried(before: OrderState, after: OrderState, record: Carried, hash: string): OrderState {
  const match = matchOf(before, record.seen);
  // Asked of the record, not of the order: who knows less of the order must decide alike.
  if (match === 'other' || record.state.ops.some(isCarriedOpen)) return after;
  if (match === 'last' && namesFewer(record.seen, before)) return after;
  if (match === 'whole' && !isDeepStrictEqual(carriedState(before, record.at), plain(record.state)))
    throw new CarriedStateError(
      `The state that was carried over of order ${before.orderId} is not the one of its records`,
    );
  const order = unpack(record, after.lastOffset);
  return { ...order, history: begunWith(hash, record.seen) };
}

function unpack({ merchant, orderId, at, rulesVersion, state }: Carried, lastOffset: string): OrderState {
  const place = <T extends { record?: string }>(event: T): T => ({ offset: lastOffset, ...event });
  const operations: OperationState[] = [];
  for (const carried of state.ops) {
    if (Array.isArray(carried)) operations.push(unpackOperation(carried, operations, lastOffset));
    else operations.push(carried.latest ? { ...carried, latest: place(carried.latest) } : carried);
  }
  return compact({
    ...{ merchant, orderId, operations },
    verdicts: state.verdicts ?? [],
    unbound: state.unbound ?? [],
    external: (state.external ?? []).map(place),
    ungranted: state.ungranted,
    rulesVersion: Math.max(rulesVersion, state.rules ?? RULES_VERSION),
    movedAt: unpackTime(state.moved),
    isPartial: state.partial,
    isFrozen: state.frozen,
    carriedAt: at,
    lastOffset,
  });
}

const isCarriedOpen = (carried: PackedOperation | OperationState): boolean =>
  !Array.isArray(carried) && isOpen(carried);

/** As it is after a trip through JSON. */
const plain = (state: CarriedState): CarriedState => JSON.parse(JSON.stringify(state)) as CarriedState;
