import type { OperationKind } from '../message-types.js';
import type { Method } from '../methods.js';

/** The platform's answer; amounts in minor units. Stored in journal records, so fields may be added but never renamed. */
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

/** State by the platform's answer. Stored in journal records. */
export type OperationResult = 'succeeded' | 'refused' | 'redirect_required' | 'pending';

/** Evidence from one call of the platform, as the journal record that it becomes. */
export type CallResult =
  | {
      record: 'NOT_EXECUTED';
      reason: 'unreachable' | 'send_deadline' | 'auth_refused' | 'execcode';
      message: string;
      execCode?: string;
    }
  | { record: 'OUTCOME'; result: OperationResult; partial?: boolean; answer: PlatformAnswer; flags?: string[] }
  | { record: 'IN_DOUBT'; reason: CallDoubtReason; message: string; execCode?: string };

/** Reason why a call may or may not have been executed. */
export type CallDoubtReason =
  | 'timeout'
  | 'connection_lost'
  | 'http_status'
  | 'unreadable_answer'
  | 'wrong_operation_type'
  | 'platform_in_doubt'
  | 'unknown_execcode';

/** Why a rail is stopped: no connection was made, the EXECCODE with which the platform executed nothing, or a person stopped it. */
const STOP_CAUSES = ['unreachable', '5001', '5003', 'operator'] as const;
export type StopCause = (typeof STOP_CAUSES)[number];

export const isStopCause = (text: string | undefined): text is StopCause => STOP_CAUSES.some((cause) => cause === text);

/** For people. */
export function causeText(cause: StopCause): string {
  if (cause === 'operator') return 'an operator stopped it; GET /v1/controls says who, why and until when';
  return cause === 'unreachable'
    ? 'the platform can not be reached'
    : `the platform answers EXECCODE ${cause} and executes nothing`;
}

/** No connection was made, or EXECCODE 5001 or 5003: nothing was executed, and the platform's other URL may be tried at once. */
export function isUnreachable(result: CallResult): boolean {
  if (result.record !== 'NOT_EXECUTED') return false;
  return result.reason === 'unreachable' || result.execCode === '5001' || result.execCode === '5003';
}

/** Details that only notifications and look-ups contain. Stored in journal records, so fields may be added but never renamed. */
export interface TransactionDetails {
  /** ISO 4217. */
  currency?: string;
  /** Language of the cardholder's form. */
  language?: string;
  /** Methods that list this language in the writer's method table. */
  languageOf?: readonly Method[];
  /** Masked CARDCODE of a card payment. */
  maskedCard?: string;
  cardBrand?: string;
  selectedBrand?: string;
  cardCountry?: string;
  /** RFC 3339. The platform had executed the operation by this time: the DATE of a look-up, or the arrival of the notification. */
  executedAt?: string;
}

/** Content of a notification about an operation. Fields are absent if the notification does not contain them. */
export interface NotifiedResult extends TransactionDetails {
  operation?: OperationKind;
  /** The OPERATIONTYPE, unchanged, if we do not know it (docs/decisions/0020). */
  operationType?: string;
  answer: PlatformAnswer;
  /** EXTRADATA as the platform returned it, with our tag. */
  extraData?: string;
  externalEntityId?: string;
  externalReference?: string;
  flags?: string[];
}

/** One transaction in a look-up's answer. Fields are undefined if the platform leaves them out. */
export interface ListedTransaction {
  orderId: string | undefined;
  identifier: string | undefined;
  /** Undefined if we do not know the OPERATIONTYPE. */
  operation: OperationKind | undefined;
  execCode: string;
  transactionId: string;
  /** Minor units. */
  amount: number | undefined;
  /** Milliseconds since the epoch; NaN if the row has no readable time. */
  dateMs: number;
  extraData: string | undefined;
  flags?: string[];
  /** The same content, shortened to fit in a journal record. */
  answer: PlatformAnswer;
}
