import { readFileSync } from 'node:fs';
import type { Health } from '../health.js';
import type { ServiceLogger } from '../logger.js';
import { openCluster } from './cluster.js';
import { openServer, type HostAndPort } from './one-server.js';
import type { ConnectionSettings, OpenLink } from './redis-link.js';
import { masterOf } from './sentinels.js';

/** Where Redis is, when it is more than the one server of a URL. */
export interface RedisTopology {
  /** Nodes of a Redis Cluster that tell which the others are, `host:port`. */
  clusterNodes?: readonly string[];
  /** Sentinels that tell where the master is; `nodes` are `host:port`. */
  sentinels?: { nodes: readonly string[]; master: string; username?: string; password?: string };
}

export interface RedisOptions extends RedisTopology {
  /** redis:// or rediss://, with credentials and database number if any. Its host does not count with `clusterNodes` or `sentinels`. */
  url: string | URL;
  /** Asked before each connection for the user and the password of now: they may have been rotated. Those of `url` where it is left out. */
  currentUrl?: (() => string | URL | undefined) | undefined;
  /** PEM file of the authorities that may have signed the certificate of a `rediss://`; those of Node.js if not set. */
  caFile?: string;
  /** Of this connection: in the log, in readiness reasons and in Redis' client list. */
  name: string;
  log: ServiceLogger;
  /** Not ready while Redis is away; without it the service can do without Redis, and only the log says so. */
  health?: Health;
  /** How long the caller waits for a command; the connection is not cut before a slow one may have been answered. Default 1000. */
  answerMs?: number;
  /** A Redis that answers nothing for so long counts as away: the connection is cut and commands under way fail. Default twice `answerMs`, 2000 at least. */
  silenceMs?: number;
  /** The longest pause between two attempts to connect. Default 2000. */
  maxDelayMs?: number;
}

const DEFAULT_PORT = 6379;

/** How to connect to what the options name, and how messages call it. */
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
    ...(url.protocol === 'rediss:' && { tls: caFile === undefined ? {} : { ca: readFileSync(caFile) } }),
  };
}

function hostAndPort(text: string): HostAndPort {
  const at = text.lastIndexOf(':');
  return { host: text.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(text.slice(at + 1)) };
}
