import type { CloudEvent, CommandData, CommandType, PaymentEvent, PaymentNotification } from '@tranche/contracts';
import type { JournalRecord } from '@tranche/order-journal';

/** A command that the load sent. */
export interface SentCommand {
  /** `ce_id`: its idempotency id. One that was sent twice is here twice. */
  id: string;
  type: CommandType;
  merchant: string;
  orderId: string;
  /** With prefix. */
  topic: string;
  sentAtMs: number;
  /** Kafka has it for sure; else it may have landed: the command topic says. */
  acknowledged: boolean;
  /** Why it was not. */
  refusal?: string;
  data: CommandData;
}

/** A request that the platform received, as its ledger shows it. */
export interface CallOfPlatform {
  time: string;
  /** OPERATIONTYPE, or the name of a look-up. */
  operation: string;
  identifier?: string;
  orderId?: string;
  transactionId?: string;
  answered?: string;
  executed: boolean;
}

/** An operation that the platform executed: a transaction exists, which the bank may have refused. */
export interface OperationOfPlatform {
  time: string;
  identifier: string;
  orderId: string;
  /** OPERATIONTYPE. */
  operationType: string;
  extraData?: string;
  amount: number;
  transactionId: string;
  /** TRANSACTIONID of the authorization or payment that the order began with. */
  initialId: string;
  /** As it was answered. */
  execCode: string;
  /** As it stands now. */
  finalExecCode: string;
  origin: 'request' | 'back-office';
}

/** GET /simulator/ledger. */
export interface LedgerOfPlatform {
  calls: CallOfPlatform[];
  operations: OperationOfPlatform[];
}

/** GET /simulator/notifications: a notification of the platform and what notification-ingest answered. */
export interface NotificationOfPlatform {
  time: string;
  merchant: string;
  orderId: string;
  operationType: string;
  transactionId: string;
  execCode: string;
  /** HASH included. */
  parameters: Record<string, string>;
  attempts: { time: string; status?: number; answer?: string; error?: string; isAccepted: boolean }[];
  /** `suppressed`: a fault kept it from being sent. */
  state: 'waiting' | 'delivered' | 'given_up' | 'suppressed';
}

/** Where a record lies. */
interface Landed {
  partition: number;
  offset: bigint;
}

/**
 * Everything that a run left behind; the referee reads nothing else. Only what belongs to the run's orders, each of which has one merchant.
 * Records of one partition are in offset order.
 */
export interface Traces {
  commands: SentCommand[];
  commandTopic: (Landed & { topic: string; key: string; id: string })[];
  journal: (Landed & { key: string; record: JournalRecord })[];
  events: (Landed & { key: string; event: CloudEvent<PaymentEvent> })[];
  notificationTopic: (Landed & { id: string; notification: PaymentNotification })[];
  quarantine: { id: string; reason: string }[];
  deadLetters: number;
  ledger: LedgerOfPlatform;
  delivered: NotificationOfPlatform[];
}
