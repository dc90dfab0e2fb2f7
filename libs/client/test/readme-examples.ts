/* eslint-disable @typescript-eslint/no-unused-vars -- the README shows signatures */
/** The code of README.md, so that it compiles; a check of the documents compares the two. */
import { Injectable } from '@nestjs/common';
import { decodeRedirectHtml, newCommandId, Tranche, type EventOf, type Publisher } from '../src/index.js';
import { OnPaymentEvent, TrancheModule } from '../src/nest.js';
import { InMemoryTranche } from '../src/testing.js';

type Heard = (orderId: string, ...more: unknown[]) => Promise<void>;

export async function capture(
  order: { id: string; captureId?: string },
  orders: Record<'captured' | 'refused' | 'rejected' | 'resolved', Heard>,
): Promise<unknown> {
  const client = await Tranche.connect({ brokers: ['127.0.0.1:9092'], clientId: 'shop' });

  order.captureId ??= newCommandId(); // stored with the order before it is published
  await client.publisher.capture(
    { merchant: 'shop-fr', orderId: order.id, description: 'Shipped' },
    { id: order.captureId, rail: 'partner-a' },
  );

  const subscription = await client.subscribe({
    group: 'shop',
    on: {
      'payment.capture.succeeded': async ({ data, sequence }) =>
        orders.captured(data.orderId, data.transactionId, sequence),
      'payment.capture.refused': async ({ data }) => orders.refused(data.orderId, data.execCode),
      // A doubt ends with this event in place of `succeeded` or `refused`.
      'payment.capture.doubt_resolved': async ({ data }) => orders.resolved(data.orderId, data.outcome),
      'payment.command.rejected': async ({ data }) => orders.rejected(data.orderId, data.faults),
    },
  });
  return subscription;
}

@Injectable()
class Orders {
  constructor(private readonly publisher: Publisher) {}

  @OnPaymentEvent('payment.capture.succeeded')
  async captured({ data }: EventOf<'payment.capture.succeeded'>): Promise<void> {} // import type { EventOf }
}

export function modules(brokers: string[]): unknown[] {
  TrancheModule.forRoot({ client: { brokers, clientId: 'shop' }, subscription: { group: 'shop' } });
  TrancheModule.forRoot({ client: new InMemoryTranche(), subscription: { group: 'shop' } });
  return [Orders];
}

interface Reply {
  header(name: string, value: string): Reply;
  send(body: unknown): void;
}

export function showForm(reply: Reply, event: EventOf<'payment.authorize.redirect_required'>): void {
  if (event.data.redirectHtml === undefined) return; // redirectHtmlDropped: there is no page to show
  reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', 'sandbox allow-forms allow-scripts allow-top-navigation')
    .send(decodeRedirectHtml(event.data.redirectHtml));
}
