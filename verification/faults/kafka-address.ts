import { readdressed } from '@tranche/testing';
import type { Rewrite } from './proxy.js';

/** Kafka's answers say where clients must connect, so the proxy replaces Kafka's port there by its own. */
export function kafkaAddress(brokers: string, proxyPort: () => number): Rewrite {
  const [host = '', port = ''] = (brokers.split(',')[0] ?? '').split(':');
  return () => readdressed(host, Number(port), proxyPort);
}
