import { createClient } from 'redis';
import { reasonOf } from '@tranche/runtime';
import type { HostAndPort } from './one-server.js';
import { credentialsOf, inTime, socketOptions, type ConnectionSettings } from './redis-link.js';

export interface Sentinels {
  nodes: readonly HostAndPort[];
  master: string;
  settings: ConnectionSettings;
}

/**
 * Asks the sentinels in turn for the master's address.
 * @throws with the failure of each sentinel
 */
export async function masterOf({ nodes, master, settings }: Sentinels): Promise<HostAndPort> {
  const failures: string[] = [];
  for (const node of nodes) {
    try {
      const found = await askSentinel(node, master, settings);
      if (found !== undefined) return found;
      failures.push(`${node.host}:${node.port} knows no master ${master}`);
    } catch (error) {
      failures.push(`${node.host}:${node.port}: ${reasonOf(error)}`);
    }
  }
  throw new Error(`no sentinel names the master ${master} (${failures.join('; ')})`);
}

async function askSentinel(
  { host, port }: HostAndPort,
  master: string,
  settings: ConnectionSettings,
): Promise<HostAndPort | undefined> {
  const { name } = settings;
  const client = createClient({
    ...credentialsOf(settings),
    name,
    socket: { ...socketOptions(settings), host, port, reconnectStrategy: false },
  });
  client.on('error', () => undefined);
  const ask = async () => {
    await client.connect();
    return client.sendCommand<[string, string] | null>(['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', master]);
  };
  try {
    const answer = await inTime(ask());
    return answer === null ? undefined : { host: answer[0], port: Number(answer[1]) };
  } finally {
    client.destroy();
  }
}
