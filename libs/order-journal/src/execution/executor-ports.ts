import type { CallResult, Fault, Rail } from '@tranche/contracts';
import type { Timing, TraceHeaders } from '@tranche/runtime';
import type { OrderState } from '../state/order-state.js';
import type { Intent, OperationTerms } from '../state/records.js';
import type { Moment } from '../state/time.js';
import type { JournalView } from '../journal/journal-view.js';

/** A command that is sound by itself. Plain data; what the form needs beyond it is the caller's. */
export interface ExecutableCommand {
  readonly merchant: { readonly merchant: string };
  readonly orderId: string;
  readonly commandId: string;
  readonly contentHash: string;
  readonly rail: Rail;
  /** Of the command, for the records that it brings about. */
  readonly trace?: TraceHeaders;
}

/** An attempt that may be asked for: no rule refuses it. */
export interface PreparedAttempt<Form> {
  terms: OperationTerms;
  /** The operation's part of the tag in EXTRADATA; absent where it has no room or no field (R8). */
  tag?: string;
  /** Whether it rests on the order as it was read: it names a transaction or keeps to totals that the order shows. */
  restsOnOrder: boolean;
  /** What the merchant's settings allow of it, for its INTENT. */
  permits?: Pick<Intent, 'mayLookUp' | 'supersedesDoubt'>;
  form: Form;
}

/** A rule refuses the attempt before anything is sent. */
export interface RejectedAttempt {
  terms: OperationTerms;
  faults: Fault[];
  /** Void if the order moved on since it was read: the faults may not be true any more. */
  restsOnOrder: boolean;
}

/** The right to work on the command's key. */
export interface CommandLease {
  /** Aborted when waits are to be abandoned: the partition is given back, or the process stops. */
  readonly signal: AbortSignal;
  /** Keeps the key but frees the in-flight place while `wait` runs. */
  releaseSlotWhile<T>(wait: () => Promise<T>): Promise<T>;
}

/** Blocks calls of a rail while its platform can't be reached or is too busy (R6). */
export interface RailGate {
  /** A permit for one call; undefined while the rail is blocked. */
  enter(rail: Rail): Permit | undefined;
  /** Resolves when it is worth trying to enter again, at the latest when the command must look at its age again. */
  wait(rail: Rail, signal: AbortSignal): Promise<void>;
  /** For how long since `sinceMs` (wall clock) the rail was blocked, milliseconds. */
  blockedMs(rail: Rail, sinceMs: number): number;
}

export interface Permit {
  /** `result` is undefined where no call was made. `isLastUrl`: no other URL is left for the command to try at once. */
  leave(result: CallResult | undefined, isLastUrl: boolean): void;
}

export interface SendOptions<Bearer> {
  bearer: Bearer | undefined;
  /** Which of the platform's URLs, from 0. */
  url: number;
  /** Asked once, right before the first byte: false sends nothing (R5). Writes to the sent ledger. */
  maySend: () => boolean;
}

/** A token of an INTENT, and whose it is. */
export interface MadeToken {
  token: string;
  merchant: string;
  orderId: string;
  commandId: string;
  attempt: number;
}

/** What outlives this process on its machine: which tokens were made, and for which of them a call was about to be sent. */
export interface SentLedger {
  /** Told before the INTENT is appended. */
  made(token: MadeToken): void;
  /** Asked before the first byte: whether it is written that the token's call may have been sent. If not, nothing may be. */
  sent(token: string): boolean;
  /** Told once the verdict or the result was read back, and nobody will ask about the token any more. */
  ended(token: string): void;
}

/** Nothing is noted: of what a killed process was about to send, nobody knows whether it did. */
export const NO_SENT_LEDGER: SentLedger = { made: () => undefined, sent: () => true, ended: () => undefined };

/** What the executor needs of the world around it. */
export interface ExecutorPorts<Command extends ExecutableCommand, Form, Bearer extends object> {
  journal: Pick<
    JournalView,
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
  /** Both clocks of the machine, neither of them corrected, for the send deadline. */
  moment: () => Moment;
  /** A token that no other process and no other call makes. */
  newToken: () => string;
  /** Rules, terms and form of an attempt. Sends nothing and asks no other process; the simulation lets time pass in it. */
  prepare: (
    command: Command,
    order: OrderState,
    attempt: number,
  ) => PreparedAttempt<Form> | RejectedAttempt | Promise<PreparedAttempt<Form> | RejectedAttempt>;
  /** Undefined where the merchant needs no token; `refused` where its credentials are. Rejects where none can be had now. */
  bearerFor: (merchant: Command['merchant']) => Promise<Bearer | 'refused' | undefined>;
  /** URLs that the platform has: after a provable non-execution the other one is tried at once. */
  urlCount: number;
  /** The URL that a new command begins with, from 0. */
  firstUrl: () => number;
  /** `NO_SENT_LEDGER` where it is left out. */
  sentLedger?: SentLedger;
  /** Tells the result of a command that comes again, by `append`; at once where it is left out. Resolves when it was told after this copy was published. */
  tellAgain?: (command: Command, lease: CommandLease, append: () => Promise<unknown>) => Promise<void>;
  /** A connection for the call, no byte written, before its INTENT: the send deadline is not spent on it. Never rejects. */
  warmUp?: (url: number) => Promise<void>;
  /** One POST. */
  send: (form: Form, options: SendOptions<Bearer>) => Promise<CallResult>;
}

/** Where `tellAgain` is left out. */
export const tellAtOnce = async (
  _command: unknown,
  _lease: CommandLease,
  append: () => Promise<unknown>,
): Promise<void> => void (await append());
