import { readTextFile } from '@tranche/contracts';
import type { Health } from '../health-and-metrics.js';
import type { RedisTopology } from '../kit.config.js';
import type { ServiceLogger } from '../logger.js';
import { openCluster } from './cluster.js';
import { openServer, type HostAndPort, masterOf } from './one-server.js';
import type { ConnectionSettings, OpenLink } from './redis-link.js';

export interface RedisOptions extends RedisTopology {
  /** redis:// or rediss://, with credentials and database number if any. Its host is ignored with `clusterNodes` or `sentinels`. */
  url: string | URL;
  /** Called before each connection for the current user and password, because they may have been rotated (those of `url`). */
  currentUrl?: (() => string | URL | undefined) | undefined;
  /** PEM file of certificate authorities for `rediss://` (those of Node.js). */
  caFile?: string;
  /** Name of this connection in the log, in readiness reasons and in Redis' client list. */
  name: string;
  log: ServiceLogger;
  /** If given, the service is not ready while Redis is down; otherwise that is only logged. */
  health?: Health;
  /** Milliseconds that a caller waits for a command; a slow answer within this time does not end the connection (1000). */
  answerMs?: number;
  /** Milliseconds of silence until the connection is closed and commands in flight fail (twice `answerMs`, at least 2000). */
  silenceMs?: number;
  /** Maximum milliseconds between two attempts to connect (2000). */
  maxDelayMs?: number;
}

const DEFAULT_PORT = 6379;

export function placeOf(options: RedisOptions & { maxDelayMs: number }): { address: string; open: OpenLink } {
  const { clusterNodes, sentinels, maxDelayMs } = options;
  const url = new URL(options.url);
  const settings = () => settingsOf(url, options);
  if (clusterNodes !== undefined)
    return {
      address: `the cluster of ${clusterNodes.join(', ')}`,
      open: openCluster(settings, clusterNodes.map(hostAndPort), maxDelayMs),
    };
  const database = url.pathname.length > 1 ? { database: Number(url.pathname.slice(1)) } : {};
  if (sentinels === undefined) {
    const server = { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || DEFAULT_PORT) };
    const find = () => Promise.resolve(server);
    return { address: `${url.hostname}:${server.port}`, open: openServer(settings, { find, ...database }) };
  }
  const { master, username, password } = sentinels;
  const nodes = sentinels.nodes.map(hostAndPort);
  const find = () => masterOf({ nodes, master, settings: { ...settings(), username, password } });
  return {
    address: `the master ${master} of the sentinels ${sentinels.nodes.join(', ')}`,
    open: openServer(settings, { find, ...database }),
  };
}

function settingsOf(url: URL, { caFile, name, currentUrl }: RedisOptions): ConnectionSettings {
  const { username, password } = new URL(currentUrl?.() ?? url);
  return {
    name: `tranche-${name}`,
    username: decodeURIComponent(username) || undefined,
    password: decodeURIComponent(password) || undefined,
    ...(url.protocol === 'rediss:' && { tls: caFile === undefined ? {} : { ca: readTextFile(caFile) } }),
  };
}

function hostAndPort(text: string): HostAndPort {
  const at = text.lastIndexOf(':');
  return { host: text.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(text.slice(at + 1)) };
}
