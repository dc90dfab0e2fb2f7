import { ERRORS, NOT_COMPARED, NOT_COMPARED_ONCE_CARRIED, toNewState } from './names.js';
import type { Folded, Json, Side, Sides } from './sides.js';
import type { Step } from './stories.js';

/** Features that a history may have. */
export const FEATURES = ['evidence', 'conflicts', 'doubts', 'snapshots', 'tombstones', 'partial', 'refused'] as const;
export type Feature = (typeof FEATURES)[number];

export interface Played {
  features: ReadonlySet<Feature>;
  /** Absent where both folds agree to the end. */
  difference?: { at: number; lines: string[] };
}

/** Folds the history with both, and compares states and events after every record, up to the first difference or refusal. */
export function play(steps: readonly Step[], { old, next }: Sides): Played {
  const features = new Set<Feature>();
  const { merchant, orderId } = steps[0]!.old as { merchant: string; orderId: string };
  let orders = { old: old.emptyOrder(merchant, orderId), next: next.emptyOrder(merchant, orderId) };
  for (const [at, step] of steps.entries()) {
    const ours = attempt(old, orders.old, step.old, at, step.hash);
    const theirs = attempt(next, orders.next, step.next, at, step.hash);
    if (ours instanceof Error || theirs instanceof Error) {
      const names = [ours, theirs].map((one) => (one instanceof Error ? one.name : 'no error'));
      features.add('refused');
      if ((ERRORS[names[0]!] ?? names[0]) === names[1]) return { features };
      const why = [ours, theirs].flatMap((one) => (one instanceof Error ? [String(one.stack)] : []));
      return { features, difference: { at, lines: [`old ${names[0]}, new ${names[1]}`, ...why] } };
    }
    note(features, step.old, ours);
    const ignored = ours.order.carriedAt === undefined ? NOT_COMPARED : NOT_COMPARED_ONCE_CARRIED;
    const lines = [
      ...differences(toNewState(ours.order), theirs.order, 'order', ignored),
      ...differences(toNewState(ours.effects), theirs.effects, 'effects'),
    ];
    if (lines.length > 0) return { features, difference: { at, lines } };
    orders = { old: ours.order, next: theirs.order };
  }
  return { features };
}

function attempt(side: Side, order: Json, record: Json, at: number, hash: string): Folded | Error {
  try {
    return side.fold(order, record, BigInt(at), () => hash);
  } catch (error) {
    return error as Error;
  }
}

/** Snapshots and tombstones count only where they took effect. */
function note(features: Set<Feature>, { record, at }: Json, { order, effects }: Folded): void {
  if (record === 'EVIDENCE') features.add('evidence');
  if (record === 'CARRIED' && order.carriedAt === at) features.add('snapshots');
  if (record === 'FORGOTTEN' && order.lastOffset === '-1') features.add('tombstones');
  if (order.isPartial === true) features.add('partial');
  for (const { event } of effects as { event: { type: string } }[]) {
    if (event.type === 'payment.conflict.detected') features.add('conflicts');
    if (event.type.endsWith('.in_doubt')) features.add('doubts');
  }
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/** Differences by path. A property that is undefined counts as absent. */
export function differences(old: unknown, next: unknown, path: string, ignored = NOT_COMPARED): string[] {
  if (isEqual(old, next, ignored)) return [];
  if (!isObject(old) || !isObject(next) || Array.isArray(old) !== Array.isArray(next))
    return [`${path}: old ${JSON.stringify(old)}, new ${JSON.stringify(next)}`];
  const names = new Set([...Object.keys(old), ...Object.keys(next)]);
  return [...names]
    .filter((name) => !ignored.has(name))
    .flatMap((name) => differences(old[name], next[name], `${path}.${name}`, ignored));
}

/** Pairs that were found equal, cached because most of a state is shared with the state before. */
const equal = new WeakMap<object, object>();

function isEqual(old: unknown, next: unknown, ignored: ReadonlySet<string>): boolean {
  if (!isObject(old) || !isObject(next)) return old === next;
  if (equal.get(old) === next) return true;
  if (Array.isArray(old) !== Array.isArray(next) || (Array.isArray(old) && old.length !== next.length)) return false;
  for (const name in old) if (!ignored.has(name) && !isEqual(old[name], next[name], ignored)) return false;
  for (const name in next) if (old[name] === undefined && next[name] !== undefined && !ignored.has(name)) return false;
  equal.set(old, next);
  return true;
}

/** Removes the records that the difference does not need. */
export function shrunk(steps: readonly Step[], sides: Sides): Step[] {
  const { difference } = play(steps, sides);
  let left = steps.slice(0, (difference?.at ?? steps.length) + 1);
  for (let at = left.length - 1; at >= 0; at--) {
    const fewer = left.filter((_, other) => other !== at);
    if (fewer.length > 0 && play(fewer, sides).difference !== undefined) left = fewer;
  }
  return left;
}
