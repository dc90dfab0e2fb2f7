import {
  fault,
  METHODS,
  type Authorization,
  type Capture,
  type CardPayment,
  type Fault,
  type Merchant,
  type Method,
  type OperationKind,
  type Rail,
  type Refund,
  type VoidAuthorization,
} from '@tranche/contracts';

interface OperationData {
  authorize: Authorization;
  pay: CardPayment;
  capture: Capture;
  refund: Refund;
  void: VoidAuthorization;
}

type Of<K extends OperationKind> = { operation: K; data: OperationData[K]; merchant: Merchant; rail: Rail };

export type PlatformOperation = { [K in OperationKind]: Of<K> }[OperationKind];

const HFTOKEN_LIFETIME_MS = METHODS.card.tokenMinutes * 60_000;
/** Older commands are refused: the index may have dropped their originals, and a snapshot their order's verdicts (`RECENT_MS`). */
export const COMMAND_LIFETIME_MS = 7 * 86_400_000;

/** Rules that depend on the time, checked before each attempt. The older of publisher's and broker's time counts. */
export function faultsOfAge(
  command: PlatformOperation & { timeMs: number; appendedMs?: number },
  nowMs: number,
): Fault[] {
  const { data } = command;
  const faults: Fault[] = [];
  const madeMs = Math.min(command.timeMs, command.appendedMs ?? Infinity);
  if (nowMs - madeMs > COMMAND_LIFETIME_MS) faults.push(fault('ce_time', 'command_too_old', 'is more than 7 days ago'));
  if (data.notAfter !== undefined && nowMs > Date.parse(data.notAfter))
    faults.push(fault('notAfter', 'not_after_passed', 'has passed'));
  if (command.operation === 'pay') {
    const tokenizedAtMs =
      command.data.tokenizedAt === undefined ? madeMs : Math.min(madeMs, Date.parse(command.data.tokenizedAt));
    if (nowMs - tokenizedAtMs > HFTOKEN_LIFETIME_MS)
      faults.push(fault('hfToken', 'hftoken_expired', `is older than ${METHODS.card.tokenMinutes} minutes`));
  }
  return faults;
}

export function faultsOfOrder(command: PlatformOperation, method: Method, transactionId: string | undefined): Fault[] {
  const faults: Fault[] = [];
  const isFollowUp = command.operation === 'capture' || command.operation === 'refund' || command.operation === 'void';
  if (command.operation === 'void' && !METHODS[method].takesVoid)
    faults.push(fault('', 'void_not_offered', `Method ${method} has no void`));
  if (isFollowUp && transactionId === undefined)
    faults.push(fault('transactionId', 'transaction_unknown', 'is not given and the order shows none that fits'));
  return faults;
}
