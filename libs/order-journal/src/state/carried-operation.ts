import { isDeepStrictEqual } from 'node:util';
import { METHOD_NAMES, METHODS, type Fault, type Method, type OperationKind } from '@tranche/contracts';
import { CARRIED_CONTENT } from './command-content.js';
import { compact, describe } from './draft.js';
import { type Attempt, type End, type EventBody, type OperationState, type ProjectedEvent } from './order-state.js';

/**
 * An operation that has ended and rests, in a few bytes: command id, `KIND METHOD END ATTEMPT` as `cBs1`, amount, TRANSACTIONID, what it follows (place
 * of that operation in its order, else the TRANSACTIONID), beginning of the content hash, when it ended, hash of the record of its latest event, and
 * what is seldom there.
 */
export type PackedOperation = [
  commandId: string,
  kind: string,
  amount: number | null,
  transactionId: string | null,
  reference: number | string | null,
  contentHash: string,
  endedAt: number | string | null,
  record: string | null,
  rest?: PackedRest,
];

interface PackedRest extends Partial<OperationState> {
  /** Where they are not the one attempt that is expected: number, tagged, TRANSACTIONID, how it was closed. */
  tried?: [attempt: number, isTagged: 0 | 1, transactionId: string | null, closed?: Attempt['closed']][];
  /** Where the latest event is not the expected one. */
  told?: Partial<ProjectedEvent> & { more?: EventBody };
}

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
/** What the latest event of most operations says besides what the operation shows. */
const EXPECTED: EventBody = { origin: 'answer', execCode: '0000' };

/** What an event or an answer says in words, and a page: kept with the record that brought it, not with the state that is carried over. */
export function withoutWords<T extends object>(said: T): T {
  const kept = { ...said } as Record<string, unknown>;
  for (const name of WORDS) delete kept[name];
  if (Array.isArray(kept['faults']))
    kept['faults'] = (kept['faults'] as Fault[]).map(({ path, code }) => ({ path, code, message: code }));
  return kept as T;
}

const WORDS = [
  ...['message', 'messageTruncated', 'descriptor', 'descriptorTruncated', 'extraData', 'redirectHtml'],
  'redirectHtmlDropped',
];

export function packOperation(operation: OperationState, earlier: readonly OperationState[]): PackedOperation {
  const { commandId, operation: kind, method, end = 'rejected', attempt, currency, latest, attempts } = operation;
  const { amount, transactionId, reference, contentHash, endedAt, ...others } = operation;
  const rest: PackedRest = { ...others };
  for (const name of [...HANDLED, ...DROPPED]) delete rest[name];
  const place = earlier.findIndex((other) => reference !== undefined && other.transactionId === reference);
  const tried = attempts.map(
    ({ attempt: number, isTagged, transactionId: id, closed }) =>
      [number, isTagged ? 1 : 0, id ?? null, ...(closed ? [closed] : [])] as unknown,
  ) as NonNullable<PackedRest['tried']>;
  const seldom = compact({
    ...rest,
    currency: currency === 'EUR' ? undefined : currency,
    tried: isDeepStrictEqual(tried, triedAsExpected(end, attempt, transactionId)) ? undefined : tried,
    told: toldOf(operation, latest),
  });
  return [
    commandId,
    `${KINDS[kind]}${METHOD_LETTERS[method]}${ENDS[end]}${attempt}`,
    amount ?? null,
    transactionId ?? null,
    place >= 0 ? place : (reference ?? null),
    contentHash.slice(0, CARRIED_CONTENT),
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
  const { tried, told, currency = 'EUR', ...others } = rest;
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
  if (record === null && told?.offset === undefined) return operation;
  return { ...operation, latest: eventOf(operation, told, record ?? undefined, offset) };
}

/** Of the whole operation only what is about to be carried: it moved lately, or has not ended. */
export function withoutPast({ events, resolvedBy, ...operation }: OperationState): OperationState {
  void [events, resolvedBy];
  const { latest } = operation;
  if (!latest) return operation;
  return { ...operation, latest: withoutPlace({ ...latest, body: withoutWords(latest.body) }) };
}

/** Of what is named by the hash of its record the offset is no part: it is another one wherever the journal lies. */
export function withoutPlace<T extends { offset: string; record?: string }>({ offset, ...event }: T): T {
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
/** What nobody asks any more once it has ended: a guard does not, evidence does not. */
const DROPPED = [
  ...(['since', 'firstIntentAt', 'evidence', 'events', 'token', 'lastNotExecuted'] as const),
  ...(['authRefusals', 'resolvedBy'] as const),
];

function triedAsExpected(
  end: End,
  attempt: number,
  transactionId: string | undefined,
): NonNullable<PackedRest['tried']> {
  return end === 'rejected' && attempt === 1 ? [] : [[attempt, 1, transactionId ?? null]];
}

function toldOf(operation: OperationState, latest: ProjectedEvent | undefined): PackedRest['told'] {
  if (!latest) return undefined;
  const { type, time, nth, offset, record, correlationId, body } = latest;
  const expected = describe(operation);
  const said = withoutWords(body);
  const more = Object.fromEntries(Object.entries(said).filter(([name]) => !(name in expected))) as EventBody;
  const isDescribed = Object.entries(expected).every(([name, value]) =>
    isDeepStrictEqual(said[name as keyof EventBody], value),
  );
  const told: NonNullable<PackedRest['told']> = compact({
    type: type === typeOf(operation) ? undefined : type,
    time: time === operation.endedAt ? undefined : time,
    nth,
    offset: record === undefined ? offset : undefined,
    correlationId: correlationId === operation.correlationId ? undefined : correlationId,
    ...(isDescribed ? { more: isDeepStrictEqual(more, EXPECTED) ? undefined : more } : { body: said }),
  });
  return Object.keys(told).length > 0 ? told : undefined;
}

function eventOf(
  operation: OperationState,
  told: PackedRest['told'] = {},
  record: string | undefined,
  offset: string,
): ProjectedEvent {
  const { more = EXPECTED, ...known } = told;
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
