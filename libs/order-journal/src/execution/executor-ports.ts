import type { CallResult, Fault, Rail } from '@tranche/contracts';
import type { Timing, TraceHeaders } from '@tranche/runtime';
import type { OrderState } from '../state/order-state.js';
import type { Intent, OperationTerms } from '../state/records.js';
import type { ClockReading } from '../state/time.js';
import type { OwnedJournal } from '../partition/owned-journal.js';

/** One copy of a command by what identifies it, whatever today's configuration or contracts say about it. */
export interface CommandCopy {
  readonly merchant: string;
  readonly orderId: string;
  readonly commandId: string;
  readonly contentHash: string;
  /** Broker time of this copy's append, milliseconds since the epoch; absent where the record has none. */
  readonly appendedMs?: number | undefined;
  readonly trace?: TraceHeaders | undefined;
}

/** A valid command as plain data. Further data for the form belongs to the caller's type. */
export interface ExecutableCommand extends Omit<CommandCopy, 'merchant'> {
  readonly merchant: { readonly merchant: string };
  readonly rail: Rail;
}

/** An attempt that no rule refuses, so an INTENT may be appended for it. */
export interface PreparedAttempt<Form> {
  terms: OperationTerms;
  /** The operation's part of the tag in EXTRADATA; absent where there is no room or no such field (R8). */
  tag?: string;
  /** True where the attempt depends on the order as read: it names a transaction, or is limited by totals of the order. */
  restsOnOrder: boolean;
  /** Permissions by the merchant's settings, for the INTENT. */
  permits?: Pick<Intent, 'mayLookUp' | 'supersedesDoubt' | 'captureReminderHours'>;
  form: Form;
}

/** An attempt that a rule refuses before anything is sent. */
export interface RejectedAttempt {
  terms: OperationTerms;
  faults: Fault[];
  /** True where the faults depend on the order as read: the rejection is void if the order has moved since. */
  restsOnOrder: boolean;
}

/** The exclusive right to work on the command's key. */
export interface CommandLease {
  /** Aborted when waits must end: the partition is revoked, or the process stops. */
  readonly signal: AbortSignal;
  /** Frees the in-flight slot while `wait` runs, and keeps the key. */
  releaseSlotWhile<T>(wait: () => Promise<T>): Promise<T>;
}

/** Blocks calls of a rail while its platform is unreachable or overloaded (R6), and those of a rail or merchant that an operator has stopped. */
export interface RailGate {
  /** Returns a permit for one call of the merchant; undefined while it is blocked. */
  enter(rail: Rail, merchant: string): Permit | undefined;
  /** Resolves when `enter` may succeed again, or when the command must check its age again. */
  wait(rail: Rail, merchant: string, signal: AbortSignal): Promise<void>;
  /** Time since `sinceMs` (wall clock) during which the merchant's calls on the rail were blocked. Milliseconds. */
  blockedMs(rail: Rail, merchant: string, sinceMs: number): number;
}

export interface Permit {
  /** Returns the permit. `result`: undefined where no call was made. `isLastUrl`: false where the command will try another URL at once. */
  leave(result: CallResult | undefined, isLastUrl: boolean): void;
}

export interface SendOptions<Bearer> {
  bearer: Bearer | undefined;
  url: number;
  /** Called once, immediately before the first byte: false sends nothing (R5). */
  maySend: () => boolean;
}

/** The log that the executor appends to, and the orders that are read from it. */
export type ExecutorJournal = Pick<
  OwnedJournal,
  | 'read'
  | 'readToEnd'
  | 'append'
  | 'appendAndRead'
  | 'appendWithRetry'
  | 'waitForRecordAfter'
  | 'whenReadable'
  | 'appendIntent'
  | 'stoppedFor'
>;

/** The payment platform: what is sent to it, with which token, and to which of its URLs. */
export interface ExecutorPlatform<Command extends ExecutableCommand, Form, Bearer extends object> {
  /** Number of the platform's URLs. After a provable non-execution the other one is tried at once. */
  readonly urlCount: number;
  /** Index of the URL that a new command starts with, from 0. */
  readonly answeringUrl: number;
  /** Names one call: unique over all processes and calls. */
  newToken(): string;
  /** Builds rules, terms and form of an attempt, and sends nothing. Asynchronous, so that the simulation can let time pass in it. */
  prepare(
    command: Command,
    order: OrderState,
    attempt: number,
  ): PreparedAttempt<Form> | RejectedAttempt | Promise<PreparedAttempt<Form> | RejectedAttempt>;
  /** Undefined where the merchant needs no token; `refused` where its credentials are. Rejects where no token is available now. */
  bearerFor(merchant: Command['merchant']): Promise<Bearer | 'refused' | undefined>;
  /** Opens a connection before the INTENT, so that connecting does not use up the send deadline. Never rejects. */
  warmUp(url: number): Promise<void>;
  send(form: Form, options: SendOptions<Bearer>): Promise<CallResult>;
}

/** The three things that make a command wait: the clock, a blocked rail, and a result that was published a moment ago. */
export interface ExecutorTiming {
  readonly clock: Timing & {
    /** Both clocks of the machine, uncorrected, for the send deadline. */
    readClocks(): ClockReading;
  };
  readonly rails: RailGate;
  readonly repeats: {
    /** Republishes the result of a repeated command with `append`. Resolves when the result was published after this copy. */
    republish(copy: CommandCopy, lease: CommandLease, append: () => Promise<unknown>): Promise<void>;
  };
}
