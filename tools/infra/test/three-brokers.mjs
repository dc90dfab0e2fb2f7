import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { clusterId, clusterSettings, kafkaCommand, startBroker } from '../kafka.mjs';
import { freePorts, portOpens } from '../ports.mjs';

/** Resolves when all accept connections; node ids are 1, 2 and 3, in the order of `nodes`. `held` ends them. */
export async function startThreeBrokers(held) {
  const java = await kafkaCommand({ held, log: () => undefined });
  const ports = await freePorts(6);
  const all = [0, 1, 2].map((at) => ({ port: ports[2 * at], controllerPort: ports[2 * at + 1] }));
  const id = clusterId();
  const folder = held.folder('tranche-brokers-');
  const nodes = [];
  for (const at of [0, 1, 2]) {
    const own = join(folder, String(at));
    mkdirSync(own);
    const process = await startBroker({ held, java, folder: own, settings: clusterSettings(at, all, own), id });
    nodes.push({ address: `127.0.0.1:${all[at].port}`, process });
  }
  for (const { port } of all) await portOpens(port, { what: 'Kafka', timeoutMs: 90_000 });
  return { nodes, folder };
}
