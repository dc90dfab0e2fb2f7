import { createClient } from 'redis';
import { watchName } from './name-watch.js';
import {
  commandOptions,
  credentialsOf,
  inTime,
  socketOptions,
  type OpenLink,
  type SettingsNow,
  assertMaster,
  type ConnectionSettings,
} from './redis-link.js';
import { reasonOf } from '@tranche/runtime';

export interface HostAndPort {
  host: string;
  port: number;
}

interface Place {
  find(this: void): Promise<HostAndPort>;
  database?: number;
}

/** The link ends with its connection: afterwards the server may be elsewhere, and a found one may not be the master yet. */
export function openServer(settingsNow: SettingsNow, { find, database }: Place): OpenLink {
  return async (events) => {
    const { host, port } = await find();
    const name = watchName(host);
    const settings = settingsNow();
    const client = createClient({
      ...credentialsOf(settings),
      ...(database === undefined ? {} : { database }),
      name: settings.name,
      commandOptions,
      disableOfflineQueue: true,
      socket: {
        ...socketOptions(settings),
        ...(name === undefined ? {} : { lookup: name.lookup }),
        host,
        port,
        reconnectStrategy: false,
      },
    });
    client.on('error', (error: unknown) => events.trouble(error, !client.isOpen));
    const server = { address: `${host}:${port}`, send: <T>(command: string[]) => client.sendCommand<T>(command) };
    const destroy = () => client.destroy();
    try {
      await inTime(client.connect());
      await inTime(assertMaster(server.send));
    } catch (error) {
      destroy();
      throw error;
    }
    return {
      commands: client,
      get isReady() {
        return client.isReady;
      },
      servers: [server],
      ...(name === undefined ? {} : { watchName: name.start }),
      close: () => client.close(),
      destroy,
    };
  };
}

interface Sentinels {
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
