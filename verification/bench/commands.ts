import { createHash, generateKeyPairSync } from 'node:crypto';
import {
  encodeCloudEvent,
  METHODS,
  orderKey,
  SIGNATURE_HEADER,
  signCommand,
  type Merchant,
  type PartnerAAuthorization,
} from '@tranche/contracts';
import { operationForm } from '@tranche/platform';
import { anAddress } from '@tranche/testing';

/** The bench's only merchant needs no bearer token and gets no notifications. */
export const MERCHANT: Merchant = {
  merchant: 'bench-shop',
  identifier: 'Bench Shop',
  accountKey: 'key-of-the-bench-shop',
  market: 'FR',
  currency: 'EUR',
  returnUrl: 'http://127.0.0.1:9/return',
  lookup: false,
};

const KID = 'bench';

export const ENVIRONMENT_ID = 'bench';
const { publicKey, privateKey } = generateKeyPairSync('ed25519');

/** Settings of a merchant whose commands must be signed. */
export const SIGNING: Partial<Merchant> = {
  publisherKeys: [{ kid: KID, publicKey: publicKey.export({ format: 'jwk' }).x! }],
  requireSignatures: true,
};

/** Returns the n-th command. Every run sends the same orders, content and ids. */
export function authorization(n: number): PartnerAAuthorization {
  return {
    merchant: MERCHANT.merchant,
    orderId: `order-${n}`,
    amount: 10_000 + (n % 50_000),
    paymentOption: 'partnerA-3xcb',
    description: 'Three chairs and a table',
    extraData: `basket=${n}`,
    client: { userAgent: 'Mozilla/5.0', ip: '92.184.100.10', id: `customer-${n}`, email: 'jeanne@example.com' },
    billing: anAddress(),
    shipping: { companyName: 'Atelier', ...anAddress() },
    cart: [{ totalAmount: 10_000 + (n % 50_000), discount: '10.5', tax: '20' }],
  };
}

export function commandRecord(n: number, time: string) {
  const data = authorization(n);
  const key = orderKey(data.merchant, data.orderId);
  const of = { id: commandId(n), source: '/bench', type: 'payment.authorize', datacontenttype: 'application/json' };
  return { key, ...encodeCloudEvent({ ...of, time, subject: key, data }) };
}

export function signedRecord(n: number, time: string, topic: string): ReturnType<typeof commandRecord> {
  const record = commandRecord(n, time);
  const signature = signCommand({ topic, ...record }, { kid: KID, privateKey, environmentId: ENVIRONMENT_ID });
  return { ...record, headers: { ...record.headers, [SIGNATURE_HEADER]: signature } };
}

export function commandId(n: number): string {
  const hex = createHash('sha256').update(`command ${n}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Returns the request that a peer makes of a command. It is signed, because the simulator checks that. */
export function requestBody(data: PartnerAAuthorization): string {
  return operationForm({ operation: 'authorize', data, merchant: MERCHANT, rail: METHODS.A.rail }, {}).body;
}
