import { silentLog } from '@tranche/runtime';
import { infrastructure, stage } from '@tranche/testing';
import { Tranche, type TrancheClient, type TrancheOptions } from '../src/index.js';

/** Clients of the shared gateway; orders have the spec's name. */
export interface GatewayWorld {
  readonly brokers: string[];
  readonly prefix: string;
  client(options?: Partial<TrancheOptions>): Promise<TrancheClient>;
  /** Number of platform calls for the order. */
  executed(orderId: string): Promise<number>;
  close(): Promise<void>;
}

export async function gatewayWorld(): Promise<GatewayWorld> {
  const brokers = infrastructure().brokers.split(',');
  const { prefix, apps } = await stage('gateway');
  const clients: TrancheClient[] = [];
  return {
    brokers,
    prefix,
    async client(options = {}) {
      const own = { brokers, clientId: 'client-spec', topicPrefix: prefix, log: silentLog, maxWaits: 3 };
      const client = await Tranche.connect({ ...own, ...options });
      clients.push(client);
      return client;
    },
    async executed(orderId) {
      const { url } = apps['platform-simulator']!;
      const ledger = (await (await fetch(`${url}/simulator/ledger?orderId=${orderId}`)).json()) as { calls: unknown[] };
      return ledger.calls.length;
    },
    close: async () => void (await Promise.all(clients.map((client) => client.close()))),
  };
}
