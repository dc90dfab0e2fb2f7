import { createHash } from 'node:crypto';

/** The secret part of the order page's address. It gives access to the order and its form, so we neither store nor publish it. */
export const pageIdOf = (key: string): string => hashed(`page ${key}`);

/** ORDERID for Kafka, logs and the platform. It is a hash of the page's secret, which cannot be computed from it. */
export const orderIdOf = (pageId: string): string => hashed(`order ${pageId}`);

const hashed = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);
