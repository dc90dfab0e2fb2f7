import type {
  Authorization,
  Capture,
  CardPayment,
  Merchant,
  OperationKind,
  Rail,
  Refund,
  VoidAuthorization,
} from '@tranche/contracts';

/** The fields of each operation's command. */
export interface OperationData {
  authorize: Authorization;
  pay: CardPayment;
  capture: Capture;
  refund: Refund;
  void: VoidAuthorization;
}

type Of<K extends OperationKind> = { operation: K; data: OperationData[K]; merchant: Merchant; rail: Rail };

/** What the platform is asked to do, for whom. */
export type PlatformOperation = { [K in OperationKind]: Of<K> }[OperationKind];
