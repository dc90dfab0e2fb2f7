import type { Method } from '@tranche/contracts';

export const OPERATION_TYPES = ['authorization', 'capture', 'refund', 'void', 'payment'] as const;
export type OperationType = (typeof OPERATION_TYPES)[number];
export const isOperationType = (value: string): value is OperationType =>
  (OPERATION_TYPES as readonly string[]).includes(value);

/** Card data for pages and notifications. It has neither the full number nor the CVV. */
export interface MaskedCard {
  readonly number: string;
  readonly validityDate: string;
  readonly fullName: string;
  readonly type: string;
  readonly country: string;
}

/** `redirected`: the cardholder is on the provider's form (0001, 0002). `pending`: 0003. */
type TransactionState = 'redirected' | 'pending' | 'succeeded' | 'refused' | 'expired' | 'voided';

export interface Transaction {
  readonly transactionId: string;
  /** The order's authorization or payment. Operations on it run one at a time. */
  readonly initialId: string;
  readonly identifier: string;
  readonly orderId: string;
  readonly operationType: OperationType;
  readonly method: Method;
  readonly amount: number;
  readonly paymentOption?: string;
  readonly version: string;
  readonly extraData?: string;
  readonly clientIdent?: string;
  readonly clientEmail?: string;
  readonly birthDate?: string;
  readonly card?: MaskedCard;
  readonly externalReference: string;
  readonly createdAtMs: number;
  state: TransactionState;
  execCode: string;
  pendingSinceMs?: number;
  /** Time of success; the capture window starts here. */
  succeededAtMs?: number;
  isCaptured: boolean;
  refundedAmount: number;
}

export function stateOf(execCode: string): TransactionState {
  switch (execCode) {
    case '0000':
    case '0004':
      return 'succeeded';
    case '0001':
    case '0002':
      return 'redirected';
    case '0003':
      return 'pending';
    default:
      return 'refused';
  }
}
