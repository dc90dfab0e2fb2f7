import { createCluster } from 'redis';
import { backOffMs, reasonOf } from '@tranche/runtime';
import type { HostAndPort } from './one-server.js';
import {
  commandOptions,
  credentialsOf,
  inTime,
  socketOptions,
  type OpenLink,
  type RedisServer,
  type SettingsNow,
} from './redis-link.js';

/** Milliseconds after a lost connection until the other nodes are asked for the owner of its slots. */
const ASK_OTHERS_MS = 1_000;

/**
 * Connects to all masters of a Redis Cluster. The slot table is refreshed on MOVED, or when a node is down. The next link also asks the
 * nodes that this one found, because those of the settings may be down.
 */
export function openCluster(settingsNow: SettingsNow, nodes: readonly HostAndPort[], maxDelayMs: number): OpenLink {
  let known: readonly HostAndPort[] = [];
  return async (events) => {
    const settings = settingsNow();
    const { name } = settings;
    const cluster = createCluster({
      rootNodes: [...nodes, ...known].map(({ host, port }) => ({ socket: { host, port } })),
      commandOptions,
      defaults: {
        ...credentialsOf(settings),
        name,
        disableOfflineQueue: true,
        socket: {
          ...socketOptions(settings),
          reconnectStrategy: (retries) => backOffMs(retries + 1, { firstMs: 100, maxMs: maxDelayMs }),
        },
      },
      topologyRefreshOnReconnectionAttemptStrategy: ASK_OTHERS_MS,
    });
    const isReady = () => cluster.isReady && cluster.masters.every(({ client }) => client?.isReady === true);
    let trouble: unknown;
    cluster.on('error', (error: unknown) => {
      trouble = error;
      events.trouble(error, false);
    });
    cluster.on('node-error', (error: unknown) => events.trouble(error, false));
    cluster.on('node-ready', () => isReady() && events.ready());
    const destroy = () => {
      known = cluster.masters.map(({ host, port }) => ({ host, port }));
      cluster.destroy();
    };
    const connecting = cluster.connect();
    try {
      await inTime(connecting);
    } catch (error) {
      cluster.destroy();
      // Otherwise a node that answers later would still be connected.
      void connecting.finally(() => cluster.destroy()).catch(() => undefined);
      // The library's own error lacks the reason.
      throw trouble === undefined ? error : new Error(`${reasonOf(error)} (${reasonOf(trouble)})`, { cause: error });
    }
    return {
      commands: cluster,
      get isReady() {
        return isReady();
      },
      get servers() {
        return cluster.masters.flatMap(({ address, client }): RedisServer[] =>
          client === undefined ? [] : [{ address, send: <T>(command: string[]) => client.sendCommand<T>(command) }],
        );
      },
      close: () => cluster.close(),
      destroy,
    };
  };
}
