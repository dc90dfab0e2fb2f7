import type { Fault, OperationKind, Rail } from '@tranche/contracts';
import type { JournalView } from './journal-view.js';
import { nextStep } from './next-step.js';
import { findOperation, verdictOf, type OperationState, type OrderState, type Verdict } from './order-state.js';
import type { Timing, TraceHeaders } from './ports.js';
import {
  RULES_VERSION,
  type Answer,
  type DoubtReason,
  type Intent,
  type NotExecutedReason,
  type OperationTerms,
  type Result,
} from './records.js';
import { afterNotExecuted } from './retry-policy.js';
import { isWithinSendDeadline, type Moment } from './send-deadline.js';

/** What one call of the platform came to. */
export type Classified =
  | { record: 'NOT_EXECUTED'; reason: NotExecutedReason; message: string; execCode?: string }
  | { record: 'OUTCOME'; result: Result; partial?: boolean; answer: Answer }
  | { record: 'IN_DOUBT'; reason: DoubtReason; message: string; execCode?: string };

/** An attempt that is ready to be sent: all that can fail without being sent has not failed. */
export interface Prepared {
  terms: OperationTerms;
  /** Operation's part of the tag that rides in EXTRADATA; absent where it has no room or no field (R8). */
  tag?: string;
  /** Whether `terms.transactionId` was taken from the order rather than named by the command. */
  isReferenceRead: boolean;
  /** One POST. `maySend` is asked once, right before the first byte: false sends nothing (R5). Never rejects. */
  send(maySend: () => boolean): Promise<Classified>;
}

/** A rule refuses the attempt before anything is sent. */
export interface Refused {
  terms: OperationTerms;
  faults: Fault[];
  /** Void if the order moved on since it was read, for then it may not be true any more. */
  restsOnOrder: boolean;
}

/** A command that is sound by itself, as arbitration sees it. */
export interface Arbitrable {
  merchant: string;
  orderId: string;
  commandId: string;
  contentHash: string;
  operation: OperationKind;
  rail: Rail;
  /** Of the command, for the records that it brings about. */
  trace?: TraceHeaders;
  /** URLs that the platform has: after a provable non-execution the other one is tried at once (1). */
  urlCount?: number;
  /** Rejects where something of ours is away for now. */
  prepare(order: OrderState, attempt: number): Promise<Prepared | Refused>;
}

/** The command's hold on its key. */
export interface Hold {
  /** Aborted when waits are to be abandoned: the partition is given back, or the process stops. */
  readonly signal: AbortSignal;
  /** Keeps the key but frees the in-flight place while `wait` runs. */
  withoutSlot<T>(wait: () => Promise<T>): Promise<T>;
}

/** What holds calls of a rail back while its platform can't be reached or is too busy (R6). */
export interface RailGate {
  /** A permit for one call; undefined while the rail is held back. */
  enter(rail: Rail): Permit | undefined;
  /** Resolves when it is worth trying to enter again, at the latest when what was prepared wants to be looked at again. */
  wait(rail: Rail, signal: AbortSignal): Promise<void>;
  /** For how long since `sinceMs` (wall clock) the rail was held back, milliseconds: that time counts for no retry limit. */
  heldBackMs(rail: Rail, sinceMs: number): number;
}

export interface Permit {
  /** What the call came to; undefined when none was made. `isLastUrl`: no other URL is left for the command to try at once. */
  leave(classified: Classified | undefined, isLastUrl: boolean): void;
}

export interface ArbitrationParts {
  journal: Pick<JournalView, 'read' | 'append' | 'appendAndRead' | 'appendSurely' | 'past'>;
  gate: RailGate;
  timing: Timing;
  /** A token that nobody else makes. */
  newToken: () => string;
}

/** What a command has been through. */
interface Course {
  readonly hold: Hold;
  /** The rail was held back since the last attempt: that was back-off enough. */
  hasWaited: boolean;
}

/** The fold's word on an INTENT. */
interface Asked {
  token: string;
  verdict: Verdict | undefined;
  started: Moment;
  after: OrderState;
}

/** One command from its arrival to where nothing more is ours to do: of all processes that try, the journal lets one pass. */
export class Arbitration {
  constructor(private readonly parts: ArbitrationParts) {}

  /** Rejects where waiting was abandoned or the journal can't be reached: the command must come again. */
  async handle(command: Arbitrable, hold: Hold): Promise<'done' | 'reused'> {
    const { journal } = this.parts;
    let order = await journal.read(command.merchant, command.orderId);
    const course: Course = { hold, hasWaited: false };
    for (let isNew = true; ; isNew = false) {
      const next = nextStep(order, command);
      switch (next.step) {
        case 'reused':
          return 'reused';
        case 'repeat':
          if (isNew) await journal.append({ record: 'REPEATED', ...this.#inOrder(order), commandId: command.commandId }, command.trace);
          return 'done';
        case 'wait': {
          const { merchant, orderId, lastOffset } = order;
          order = await hold.withoutSlot(() => journal.past(merchant, orderId, BigInt(lastOffset), hold.signal));
          break;
        }
        case 'attempt':
          hold.signal.throwIfAborted();
          order = await this.#attempt(command, order, next.attempt, course);
          break;
      }
    }
  }

  async #attempt(command: Arbitrable, order: OrderState, attempt: number, course: Course): Promise<OrderState> {
    const { gate, journal } = this.parts;
    const { hold } = course;
    const known = findOperation(order, command.commandId);
    if (known?.lastNotExecuted) {
      const givenUp = await this.#waitOrGiveUp(command, order, known, course);
      if (givenUp) return givenUp;
    }
    const prepared = await command.prepare(order, attempt);
    if ('faults' in prepared) return this.#reject(command, order, attempt, prepared);
    const permit = gate.enter(command.rail);
    if (!permit) {
      await hold.withoutSlot(() => gate.wait(command.rail, hold.signal));
      course.hasWaited = true;
      return journal.read(command.merchant, command.orderId);
    }
    course.hasWaited = false;
    let classified: Classified | undefined;
    let asked: Asked;
    try {
      asked = await this.#ask(command, order, attempt, prepared);
      const { verdict, started, after } = asked;
      if (verdict !== 'granted') return after;
      classified = await prepared.send(() => isWithinSendDeadline(started, this.#moment()));
    } finally {
      permit.leave(classified, attempt % (command.urlCount ?? 1) === 0);
    }
    const { token } = asked;
    return journal.appendSurely({ ...this.#inOrder(order), commandId: command.commandId, attempt, token, ...classified }, command.trace);
  }

  /** INTENT, and the fold's word on it. One whose verdict can't be had is never sent, and says so: it may yet land and be granted. */
  async #ask(
    { commandId, trace }: Arbitrable,
    order: OrderState,
    attempt: number,
    { terms, tag, isReferenceRead }: Prepared,
  ): Promise<Asked> {
    const { journal, newToken } = this.parts;
    const identity = { ...this.#inOrder(order), commandId, attempt, token: newToken() };
    const { token } = identity;
    const started = this.#moment();
    const intent: Intent = {
      record: 'INTENT',
      ...identity,
      ...terms,
      ...(tag === undefined ? {} : { tag }),
      ...(isReferenceRead ? { seen: order.lastOffset } : {}),
    };
    try {
      const after = await journal.appendAndRead(intent, trace);
      return { token, verdict: verdictOf(after, token), started, after };
    } catch (error) {
      const message = 'The verdict on the intent could not be read; nothing was sent';
      await journal.append({ record: 'NOT_EXECUTED', ...identity, reason: 'send_deadline', message }, trace).catch(() => undefined);
      throw error;
    }
  }

  /** Resolves with undefined when the next attempt may be made now. */
  async #waitOrGiveUp(
    command: Arbitrable,
    order: OrderState,
    operation: OperationState,
    { hold, hasWaited }: Course,
  ): Promise<OrderState | undefined> {
    const { timing, gate, journal } = this.parts;
    const nowMs = timing.nowMs();
    const heldBackMs = gate.heldBackMs(command.rail, Date.parse(operation.firstIntentAt ?? ''));
    const after = afterNotExecuted(operation, nowMs - heldBackMs, command.urlCount);
    if (after.next === 'retry') {
      if (after.inMs > 0 && !hasWaited) await hold.withoutSlot(() => timing.sleep(after.inMs, hold.signal));
      return undefined;
    }
    const { code, message, retryAfterSeconds } = after;
    const hint = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
    const { commandId, attempt } = operation;
    return journal.appendAndRead(
      { record: 'GIVEN_UP', ...this.#inOrder(order), commandId, attempt, code, message, ...hint },
      command.trace,
    );
  }

  #reject(
    { commandId, trace }: Arbitrable,
    order: OrderState,
    attempt: number,
    { terms, faults, restsOnOrder }: Refused,
  ): Promise<OrderState> {
    const seen = restsOnOrder ? { seen: order.lastOffset } : {};
    return this.parts.journal.appendAndRead(
      { record: 'REJECTED', ...this.#inOrder(order), commandId, attempt, ...terms, faults, ...seen },
      trace,
    );
  }

  #inOrder({ merchant, orderId }: OrderState): { rulesVersion: number; merchant: string; orderId: string; at: string } {
    return { rulesVersion: RULES_VERSION, merchant, orderId, at: new Date(this.parts.timing.nowMs()).toISOString() };
  }

  #moment(): Moment {
    return { wallMs: this.parts.timing.nowMs(), monotonicMs: this.parts.timing.monotonicMs() };
  }
}
