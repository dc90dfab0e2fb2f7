import type { Json } from './sides.js';

/**
 * Different names of the same things in the two folds, old to new. Everything that is not listed has one name. Add a row with each renaming; where a
 * value changes its shape, add a function to `SHAPES`.
 */
interface Names {
  /** Property names of objects, at any depth. */
  properties: Readonly<Record<string, string>>;
  /** Texts by the OLD name of their property; also the items of a list. */
  values: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const RESULTS = { redirect: 'redirect_required', unclear: 'in_doubt' };

/**
 * Names in journal records. They are also translated back, so no two old names may have the same new one. CARRIED and FORGOTTEN belong under
 * `values.record`.
 */
export const RECORDS: Names = {
  properties: {},
  values: { record: { CARRIED: 'SNAPSHOT', FORGOTTEN: 'TOMBSTONE' }, result: RESULTS },
};

/** Names in states and events. */
export const STATES: Names = {
  properties: {
    carriedAt: 'snapshotAt',
    contradictions: 'conflictingReports',
    unbound: 'unmatchedEvidence',
    ungranted: 'unauthorizedOutcomes',
    isCardTold: 'isCardPublished',
  },
  values: {
    result: RESULTS,
    phase: { redirect: 'redirect_required' },
    flags: {
      was_redirect: 'was_redirect_required',
      said_redirect: 'said_redirect_required',
      said_unclear: 'said_in_doubt',
    },
  },
};

/** Splits a text into named values; `-` stands for none. */
const words = (text: string, names: readonly string[]): Json => {
  const parts = text.split(' ');
  const named = (part: string | undefined) => RESULTS[part as keyof typeof RESULTS] ?? part;
  const pairs = names.map((name, at) => [name, name === 'attempt' ? Number(parts[at]) : named(parts[at])] as const);
  return Object.fromEntries(pairs.filter(([, value]) => value !== '-'));
};

const structured = (value: unknown, names: readonly string[]): unknown =>
  (value as unknown[]).map((one) => (typeof one === 'string' ? words(one, names) : one));

/** Computes a state's property by its NEW name; the old value is translated already. Undefined: the new state has no such property. */
export const SHAPES: Readonly<Record<string, (value: unknown, owner: Json) => unknown>> = {
  evidence: (value) => structured(value, ['attempt', 'transactionId', 'code']),
  conflictingReports: (value) => structured(value, ['result', 'attempt', 'transactionId', 'execCode']),
};

/** Properties of a state that are not compared. All records are of each fold's newest rules. */
export const NOT_COMPARED: ReadonlySet<string> = new Set(['rulesVersion']);

/** The same for an order with a snapshot, because a new snapshot may keep more than the old form did. */
export const NOT_COMPARED_ONCE_CARRIED: ReadonlySet<string> = new Set([...NOT_COMPARED]);

/** Names of errors. */
export const ERRORS: Readonly<Record<string, string>> = { CarriedStateError: 'SnapshotMismatchError' };

const reverse = (names: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(names).map(([old, next]) => [next, old]));

const RECORDS_BACK: Names = {
  properties: reverse(RECORDS.properties),
  values: Object.fromEntries(
    Object.entries(RECORDS.values).map(([name, values]) => [RECORDS.properties[name] ?? name, reverse(values)]),
  ),
};

export const toNewRecord = (record: Json): Json => translated(record, RECORDS) as Json;
export const toOldRecord = (record: Json): Json => translated(record, RECORDS_BACK) as Json;

/** Returned states never change and share unchanged parts, so each part is translated only once. */
const known = new WeakMap<object, unknown>();

/** Translates a state or an event of the old fold to the new form. */
export const toNewState = (state: unknown): unknown => translated(state, STATES, SHAPES, known);

function translated(
  value: unknown,
  names: Names,
  shapes: typeof SHAPES = {},
  memory?: typeof known,
  name = '',
): unknown {
  if (typeof value === 'string') return names.values[name]?.[value] ?? value;
  if (typeof value !== 'object' || value === null) return value;
  const before = memory?.get(value);
  if (before !== undefined) return before;
  const result = Array.isArray(value)
    ? value.map((item) => translated(item, names, shapes, memory, name))
    : ofObject(value as Json, names, shapes, memory);
  memory?.set(value, result);
  return result;
}

function ofObject(owner: Json, names: Names, shapes: typeof SHAPES, memory?: typeof known): Json {
  const result: Record<string, unknown> = {};
  for (const old in owner) {
    const name = names.properties[old] ?? old;
    const value = translated(owner[old], names, shapes, memory, old);
    result[name] = shapes[name] ? shapes[name](value, owner) : value;
  }
  return result;
}
