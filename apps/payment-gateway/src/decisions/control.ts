import { decodeCloudEvent, validateControlRecord, type ControlRecord, type Rail } from '@tranche/contracts';
import type { LogRecord } from '@tranche/kafka';

/** Keys of the records by which the gateways say up to where they have read; no scope begins so. */
const SEEN = 'seen/';

export const seenKey = (member: string): string => SEEN + member;

/** `offset`: that of its record. */
export type Control = ControlRecord & { offset: bigint };

export interface Interval {
  fromMs: number;
  toMs: number;
}

/** Folds `payments.controls.v1`: the newest record of a scope counts. */
export class ControlList {
  readonly #controls = new Map<string, Control>();
  /** Offset of the newest control that a member of the gateways' group has, by its member id. */
  readonly seen = new Map<string, bigint>();
  /** Offset of the newest record of a control. */
  newest = -1n;

  /** @returns the reason why the record does not count; undefined where it counts */
  take({ offset, key, value, headers, unreadable }: LogRecord): string | undefined {
    if (unreadable !== undefined) return unreadable;
    if (key?.startsWith(SEEN) === true) return this.#note(key.slice(SEEN.length), value);
    if (value === null) return void this.#controls.delete(key ?? '');
    const { value: record, faults } = validateControlRecord(decodeCloudEvent({ headers, value }).event?.data);
    if (record === undefined) return faults.map(({ path, message }) => `${path} ${message}`).join('; ');
    if (record.scope !== key) return 'its key is not its scope';
    this.#controls.set(key, { ...record, offset });
    this.newest = offset;
    return undefined;
  }

  /** Those that stop something now. */
  active(nowMs: number): Control[] {
    return [...this.#controls.values()].filter((control) => nowMs < endMsOf(control));
  }

  /** The control that stops the rail, or the merchant on every rail. */
  stopOf(rail: Rail, merchant: string | undefined, nowMs: number): Control | undefined {
    return this.#of(rail, merchant).find((control) => nowMs < endMsOf(control));
  }

  /** The newest stop of the rail and that of the merchant, whether they last or have ended. */
  stops(rail: Rail, merchant: string, nowMs: number): Interval[] {
    return this.#of(rail, merchant).map((control) => ({
      fromMs: Date.parse(control.since),
      toMs: Math.min(nowMs, endMsOf(control)),
    }));
  }

  /** Asked for each command, so it makes no text while nothing is stopped. */
  #of(rail: Rail, merchant: string | undefined): Control[] {
    if (this.#controls.size === 0) return [];
    return [`rail:${rail}`, `merchant:${merchant}`].flatMap((scope) => this.#controls.get(scope) ?? []);
  }

  #note(member: string, value: Buffer | null): string | undefined {
    if (value === null) return void this.seen.delete(member);
    const text = value.toString('utf8');
    if (!/^\d{1,19}$/.test(text)) return 'is no offset up to which a gateway has read';
    this.seen.set(member, BigInt(text));
    return undefined;
  }
}

function endMsOf({ expiresAt, liftedAt }: Control): number {
  return Math.min(...[expiresAt, liftedAt].map((time) => (time === undefined ? Infinity : Date.parse(time))));
}
