import { createHash } from 'node:crypto';

/** The secret in the address of the order's page: whoever has it sees the order and follows its form. Nothing stores or publishes it. */
export const pageIdOf = (key: string): string => hashed(`page ${key}`);

/** ORDERID, as Kafka, logs and the platform have it. It follows from the page's secret, and nothing leads back. */
export const orderIdOf = (pageId: string): string => hashed(`order ${pageId}`);

const hashed = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);
