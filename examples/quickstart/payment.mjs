import { createPrivateKey } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { decodeRedirectHtml, newCommandId, Tranche } from '@tranche/client';

const {
  KAFKA_BROKERS = '127.0.0.1:9092',
  KAFKA_TOPIC_PREFIX: topicPrefix = '',
  MERCHANT: merchant = 'shop-fr',
} = process.env;
const { SIGNING_KEY_FILE, SIGNING_KID: kid = 'shop-fr-test', ENVIRONMENT_ID: environmentId = 'demo' } = process.env;
// The published test key, which `npm run stack` accepts for shop-fr and production refuses.
const testKey = Buffer.from('MC4CAQAwBQYDK2VwBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f', 'base64');
const privateKey = SIGNING_KEY_FILE
  ? readFileSync(SIGNING_KEY_FILE, 'utf8')
  : createPrivateKey({ key: testKey, format: 'der', type: 'pkcs8' });

const tranche = await Tranche.connect({
  brokers: KAFKA_BROKERS.split(','),
  clientId: 'payment-example',
  topicPrefix,
  signing: { kid, environmentId, privateKey },
});
const order = { merchant, orderId: `payment-${Date.now()}` };
const place = { address: '12 rue des Lilas', postalCode: '75011', city: 'Paris', country: 'FR' };
const person = { firstName: 'Jeanne', lastName: 'Martin', mobilePhone: '+33612345678', ...place };

// Events that come later than the answer: the customer is at the provider's form.
const customer = new EventEmitter();
const isPaid = once(customer, 'paid');
await tranche.subscribe({
  group: `example-${order.orderId}`,
  on: { 'payment.authorize.succeeded': ({ data }) => data.orderId === order.orderId && customer.emit('paid', data) },
});

const { type, data } = await tranche.publisher.authorizeAndWait(
  {
    ...order,
    amount: 30000,
    description: 'Three chairs',
    paymentOption: 'partnerA-3xcb',
    billing: person,
    shipping: person,
    client: { id: 'customer-1', email: 'jeanne@example.com', ip: '203.0.113.10', userAgent: 'Mozilla/5.0' },
    cart: [{ totalAmount: 30000 }],
  },
  { id: newCommandId() },
);
console.log(type, data.faults ?? data.transactionId);
if (data.redirectHtml === undefined) throw new Error('there is no form');

// A shop answers the customer's browser with this page. Here we press its button, as the simulator lets us.
const [form = ''] = /(?<=action=")[^"]+/.exec(decodeRedirectHtml(data.redirectHtml)) ?? [];
const decision = new URLSearchParams({ decision: 'validate' });
const accepted = await fetch(form, { method: 'POST', body: decision, redirect: 'manual' });
if (accepted.status !== 303) throw new Error(`the form answered ${accepted.status}`);
const [{ transactionId }] = await isPaid;
console.log('payment.authorize.succeeded', transactionId);

const rail = 'partner-a';
const captured = await tranche.publisher.captureAndWait(
  { ...order, description: 'Sent' },
  { id: newCommandId(), rail },
);
console.log(captured.type, captured.data.amount);
const back = { ...order, amount: 10000, description: 'One chair came back' };
const refunded = await tranche.publisher.refundAndWait(back, { id: newCommandId(), rail });
console.log(refunded.type, refunded.data.amount);
await tranche.close();
