import type { CloudEvent, CommandData, CommandType, PaymentEvent, PaymentNotification } from '@tranche/contracts';
import type { JournalRecord } from '@tranche/order-journal';

export interface SentCommand {
  /** `ce_id`, the idempotency id. A command that was sent twice is listed twice. */
  id: string;
  type: CommandType;
  merchant: string;
  orderId: string;
  topic: string;
  sentAtMs: number;
  /** False if Kafka did not acknowledge; the record may still be in the command topic. */
  acknowledged: boolean;
  refusal?: string;
  data: CommandData;
}

/** A request that the platform received, from its ledger, as far as it is read here. */
export interface CallOfPlatform {
  /** OPERATIONTYPE, or the name of a look-up. */
  operation: string;
  orderId?: string;
}

/** An operation that the platform executed: its transaction exists, but the bank may have refused it. */
export interface OperationOfPlatform {
  orderId: string;
  operationType: string;
  extraData?: string;
  amount: number;
  transactionId: string;
  /** TRANSACTIONID of the authorization or payment that this operation belongs to. */
  initialId: string;
  execCode: string;
  /** The code now. */
  finalExecCode: string;
  origin: 'request' | 'back-office';
}

export interface LedgerOfPlatform {
  calls: CallOfPlatform[];
  operations: OperationOfPlatform[];
}

/** Answer of GET /simulator/notifications: each notification with notification-ingest's answers. */
export interface NotificationOfPlatform {
  merchant: string;
  orderId: string;
  operationType: string;
  transactionId: string;
  execCode: string;
  parameters: Record<string, string>;
  attempts: { status?: number; error?: string; isAccepted: boolean }[];
  /** `suppressed` if a fault prevented sending. */
  state: 'waiting' | 'delivered' | 'given_up' | 'suppressed';
}

interface Landed {
  partition: number;
  offset: bigint;
}

/**
 * Everything that a run left behind, and all that the referee reads. It holds only the run's orders, each of which has one merchant.
 * Records of a partition are in offset order.
 */
export interface Traces {
  commands: SentCommand[];
  commandTopic: (Landed & { topic: string; key: string; id: string })[];
  journal: (Landed & { key: string; record: JournalRecord })[];
  events: (Landed & { key: string; event: CloudEvent<PaymentEvent> })[];
  notificationTopic: (Landed & { id: string; notification: PaymentNotification })[];
  deadLetters: number;
  ledger: LedgerOfPlatform;
  delivered: NotificationOfPlatform[];
}
