import { readdressed } from '@tranche/testing';
import type { Rewrite } from './proxy.js';

/** Kafka tells its clients where to connect: its own port becomes the proxy's in its answers. */
export function kafkaAddress(brokers: string, proxyPort: () => number): Rewrite {
  const [host = '', port = ''] = (brokers.split(',')[0] ?? '').split(':');
  return () => readdressed(host, Number(port), proxyPort);
}
