import { createClient } from 'redis';
import { credentialsOf, inTime, socketOptions, type ConnectionSettings, type OpenLink } from './redis-link.js';

export interface HostAndPort {
  host: string;
  port: number;
}

interface Place {
  /** Where the server is now. */
  find(this: void): Promise<HostAndPort>;
  database?: number;
  /** The server may have become a replica since it was found. */
  mayChange?: boolean;
}

/** One server. The link is over with its connection: the server may be elsewhere afterwards. */
export function openServer(settings: ConnectionSettings, { find, database, mayChange = false }: Place): OpenLink {
  return async (events) => {
    const { host, port } = await find();
    const { name } = settings;
    const client = createClient({
      ...credentialsOf(settings),
      ...(database === undefined ? {} : { database }),
      name,
      disableOfflineQueue: true,
      socket: { ...socketOptions(settings), host, port, reconnectStrategy: false },
    });
    client.on('error', (error: unknown) => events.trouble(error, !client.isOpen));
    const server = { address: `${host}:${port}`, send: <T>(command: string[]) => client.sendCommand<T>(command) };
    const destroy = () => client.destroy();
    try {
      await inTime(client.connect());
      if (mayChange) await inTime(assertMaster(server.send));
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
      close: () => client.close(),
      destroy,
    };
  };
}

/** The last step of https://redis.io/docs/latest/develop/reference/sentinel-clients/: sentinels may name a server that is no master yet. */
async function assertMaster(send: (command: string[]) => Promise<unknown>): Promise<void> {
  const [role] = (await send(['ROLE'])) as [string];
  if (role !== 'master') throw new Error(`it is a ${role}, though the sentinels name it as the master`);
}
