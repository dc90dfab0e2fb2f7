import { createClient } from 'redis';
import { watchName } from './name-watch.js';
import { credentialsOf, inTime, socketOptions, type OpenLink, type SettingsNow } from './redis-link.js';
import { assertMaster } from './redis-replies.js';

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
