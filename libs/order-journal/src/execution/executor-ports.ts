import type { CallResult, Fault, Rail } from '@tranche/contracts';
import type { Timing, TraceHeaders } from '@tranche/runtime';
import type { OrderState } from '../state/order-state.js';
import type { Intent, OperationTerms } from '../state/records.js';
import type { ClockReading } from '../state/time.js';
import type { OwnedJournal } from '../partition/owned-journal.js';

/** A valid command as plain data. Further data for the form belongs to the caller's type. */
export interface ExecutableCommand {
  readonly merchant: { readonly merchant: string };
  readonly orderId: string;
  readonly commandId: string;
  readonly contentHash: string;
  readonly rail: Rail;
  readonly trace?: TraceHeaders;
}

/** An attempt that no rule refuses, so an INTENT may be appended for it. */
export interface PreparedAttempt<Form> {
  terms: OperationTerms;
  /** The operation's part of the tag in EXTRADATA; absent where there is no room or no such field (R8). */
  tag?: string;
  /** True where the attempt depends on the order as read: it names a transaction, or is limited by totals of the order. */
  restsOnOrder: boolean;
  /** Permissions by the merchant's settings, for the INTENT. */
  permits?: Pick<Intent, 'mayLookUp' | 'supersedesDoubt'>;
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

/** Blocks calls of a rail while its platform is unreachable or overloaded (R6). */
export interface RailGate {
  /** Returns a permit for one call; undefined while the rail is blocked. */
  enter(rail: Rail): Permit | undefined;
  /** Resolves when `enter` may succeed again, or when the command must check its age again. */
  wait(rail: Rail, signal: AbortSignal): Promise<void>;
  /** Time since `sinceMs` (wall clock) during which the rail was blocked. Milliseconds. */
  blockedMs(rail: Rail, sinceMs: number): number;
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

export interface ExecutorPorts<Command extends ExecutableCommand, Form, Bearer extends object> {
  journal: Pick<
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
  gate: RailGate;
  timing: Timing;
  /** Both clocks of the machine, uncorrected, for the send deadline. */
  readClocks: () => ClockReading;
  /** Creates a token that is unique over all processes and calls. */
  newToken: () => string;
  /** Builds rules, terms and form of an attempt, and sends nothing. Asynchronous, so that the simulation can let time pass in it. */
  prepare: (
    command: Command,
    order: OrderState,
    attempt: number,
  ) => PreparedAttempt<Form> | RejectedAttempt | Promise<PreparedAttempt<Form> | RejectedAttempt>;
  /** Undefined where the merchant needs no token; `refused` where its credentials are. Rejects where no token is available now. */
  bearerFor: (merchant: Command['merchant']) => Promise<Bearer | 'refused' | undefined>;
  /** Number of the platform's URLs. After a provable non-execution the other one is tried at once. */
  urlCount: number;
  /** Index of the URL that a new command starts with, from 0. */
  firstUrl: () => number;
  /** Republishes the result of a repeated command with `append`. Resolves when the result was published after this copy. Default: at once. */
  republishResult?: (command: Command, lease: CommandLease, append: () => Promise<unknown>) => Promise<void>;
  /** Opens a connection before the INTENT, so that connecting does not use up the send deadline. Never rejects. */
  warmUp?: (url: number) => Promise<void>;
  send: (form: Form, options: SendOptions<Bearer>) => Promise<CallResult>;
}

export const republishAtOnce = async (
  _command: unknown,
  _lease: CommandLease,
  append: () => Promise<unknown>,
): Promise<void> => void (await append());
