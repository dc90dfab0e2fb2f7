import { traceHeadersOf } from '@tranche/runtime';
import { createHash } from 'node:crypto';
import { orderKey, type CloudEvent, type Fault, type PaymentEvent } from '@tranche/contracts';

/** A message that never became an operation, and the faults. */
export interface Rejection {
  merchant: string;
  orderId: string;
  commandId?: string;
  correlationId?: string;
  faults: Fault[];
  /** For `id_reused`: state of the command that has the id. */
  knownState?: string;
}

/** Position of a message in Kafka. */
interface Location {
  topic: string;
  partition: number;
  offset: bigint;
  headers: Record<string, string>;
}

/** Builds `payment.command.rejected`, without a sequence. Its id derives from the message's position, so a redelivery gives the same event. */
export function commandRejected(
  { topic, partition, offset, headers }: Location,
  rejection: Rejection,
  time: string,
): CloudEvent<PaymentEvent> {
  const { merchant, orderId, commandId, correlationId, faults, knownState } = rejection;
  return {
    id: createHash('sha256').update(`${topic}/${partition}/${offset}`).digest('base64url').slice(0, 27),
    source: '/tranche/payment-gateway',
    type: 'payment.command.rejected',
    time,
    subject: orderKey(merchant, orderId),
    ...traceHeadersOf(headers),
    ...(correlationId === undefined ? {} : { correlationid: correlationId }),
    ...(commandId === undefined ? {} : { causationid: commandId }),
    data: {
      ...{ merchant, orderId, faults },
      ...(commandId === undefined ? {} : { commandId }),
      ...(knownState === undefined ? {} : { knownState }),
    },
  };
}
