import { newCommandId, Tranche } from '@tranche/client';

const { KAFKA_BROKERS = '127.0.0.1:9092', KAFKA_TOPIC_PREFIX: topicPrefix = '' } = process.env;
const tranche = await Tranche.connect({ brokers: KAFKA_BROKERS.split(','), clientId: 'quickstart', topicPrefix });
const place = { address: '12 rue des Lilas', postalCode: '75011', city: 'Paris', country: 'FR' };
const person = { firstName: 'Jeanne', lastName: 'Martin', mobilePhone: '+33612345678', ...place };
const client = { id: 'customer-1', email: 'jeanne@example.com', ip: '203.0.113.10', userAgent: 'Mozilla/5.0' };
const order = { merchant: 'shop-fr', orderId: `quickstart-${Date.now()}`, amount: 30000, description: 'Three chairs' };
const details = { ...order, billing: person, shipping: person, client, cart: [{ totalAmount: 30000 }] };
const { type, data } = await tranche.publisher.authorizeAndWait(
  { ...details, paymentOption: 'partnerA-3xcb' },
  { id: newCommandId() },
);
console.log(type, { ...data, redirectHtml: data.redirectHtml?.length });
await tranche.close();
