import type { OperationKind } from '../message-types.js';
import type { Method } from '../methods.js';

/** The platform's own words about an operation. Amounts in minor units. A part of journal records: fields are added, never renamed. */
export interface PlatformAnswer {
  execCode?: string;
  execCodeTruncated?: boolean;
  message?: string;
  messageTruncated?: boolean;
  transactionId?: string;
  descriptor?: string;
  descriptorTruncated?: boolean;
  amount?: number;
  redirectHtml?: string;
  redirectHtmlDropped?: boolean;
}

/**
 * How an operation stands by the platform's answer. A part of journal records: `redirect` is the stored value of what events and the
 * table of EXECCODEs call `redirect_required`.
 */
export type OperationResult = 'succeeded' | 'refused' | 'redirect' | 'pending';

/** What one call of the platform proves, as the journal record that it becomes. */
export type CallResult =
  | {
      record: 'NOT_EXECUTED';
      reason: 'unreachable' | 'send_deadline' | 'auth_refused' | 'execcode';
      message: string;
      execCode?: string;
    }
  | { record: 'OUTCOME'; result: OperationResult; partial?: boolean; answer: PlatformAnswer }
  | { record: 'IN_DOUBT'; reason: CallDoubtReason; message: string; execCode?: string };

/** Why it is not known whether a call was executed. */
export type CallDoubtReason =
  | 'timeout'
  | 'connection_lost'
  | 'http_status'
  | 'unreadable_answer'
  | 'wrong_operation_type'
  | 'platform_in_doubt'
  | 'unknown_execcode';

/** No connection, or EXECCODE 5001, 5003: nothing was executed, and the platform's other URL is worth a try at once. */
export function isUnreachable(result: CallResult): boolean {
  if (result.record !== 'NOT_EXECUTED') return false;
  return result.reason === 'unreachable' || result.execCode === '5001' || result.execCode === '5003';
}

/** What only notifications and look-ups tell of an operation. A part of journal records: fields are added, never renamed. */
export interface TransactionDetails {
  /** ISO 4217. */
  currency?: string;
  /** Of the form that the cardholder saw. */
  language?: string;
  /** Methods whose list has that language, by the method table of the writer. */
  languageOf?: readonly Method[];
  /** CARDCODE of a card payment, masked. */
  maskedCard?: string;
  cardBrand?: string;
  cardCountry?: string;
  /** The platform had executed it by then, RFC 3339: a look-up's DATE, or when the notification was received. */
  executedAt?: string;
}

/** What a notification says about an operation. Fields are absent where it says nothing. */
export interface NotifiedResult extends TransactionDetails {
  operation?: OperationKind;
  /** An OPERATIONTYPE that no operation of ours has, as it stands (docs/decisions/0020). */
  operationType?: string;
  answer: PlatformAnswer;
  /** EXTRADATA as it came back. */
  extraData?: string;
  externalEntityId?: string;
  externalReference?: string;
  flags?: string[];
}

/** One transaction of the list that a look-up brings. Undefined where the platform leaves a field out. */
export interface ListedTransaction {
  orderId: string | undefined;
  identifier: string | undefined;
  /** Undefined for an OPERATIONTYPE that no operation of ours has. */
  operation: OperationKind | undefined;
  execCode: string;
  transactionId: string;
  /** Minor units. */
  amount: number | undefined;
  /** Milliseconds since the epoch; not a number where the row has no time that can be understood. */
  dateMs: number;
  extraData: string | undefined;
  /** The same words in a size that fits a journal record. */
  answer: PlatformAnswer;
}
