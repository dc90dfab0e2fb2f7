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

export interface OperationData {
  authorize: Authorization;
  pay: CardPayment;
  capture: Capture;
  refund: Refund;
  void: VoidAuthorization;
}

type Of<K extends OperationKind> = { operation: K; data: OperationData[K]; merchant: Merchant; rail: Rail };

export type PlatformOperation = { [K in OperationKind]: Of<K> }[OperationKind];
