import type { ConfigFault } from '../config.js';
import type { KitConfig } from '../kit.config.js';
import { isLoopback } from './hosts.js';

interface RedisSettings {
  redisUrl?: unknown;
}

/** Contradictions between the Redis settings: the URL belongs to the service, cluster and sentinels to the kit. */
export function redisFaults(
  config: RedisSettings,
  { redisClusterNodes, redisSentinelNodes }: KitConfig,
): ConfigFault[] {
  if (!('redisUrl' in config)) return [];
  const { redisUrl: url } = config;
  const nodes = redisClusterNodes ? 'REDIS_CLUSTER_NODES' : redisSentinelNodes && 'REDIS_SENTINEL_NODES';
  if (nodes !== undefined && url === undefined)
    return [
      {
        name: 'REDIS_URL',
        message: `is not set, though ${nodes} is: set it to redis:// or rediss://, with user and password if any`,
      },
    ];
  if (redisClusterNodes !== undefined && url instanceof URL && Number(url.pathname.slice(1)) > 0)
    return [{ name: 'REDIS_URL', message: 'names a database, and a Redis Cluster has only 0: leave it out' }];
  return [];
}

/** Replaces the host of REDIS_URL by the least protected node: with nodes, that host is not connected to. */
export function withReachedRedis<C extends RedisSettings>(
  config: C,
  { redisClusterNodes, redisSentinelNodes, plaintextHosts = [] }: KitConfig,
): C {
  const hosts = (redisClusterNodes ?? redisSentinelNodes ?? []).map((node) => node.slice(0, node.lastIndexOf(':')));
  const elsewhere = hosts.filter((host) => !isLoopback(host));
  const host = elsewhere.find((one) => !plaintextHosts.includes(one)) ?? elsewhere[0];
  if (host === undefined || !(config.redisUrl instanceof URL)) return config;
  const redisUrl = new URL(config.redisUrl);
  redisUrl.hostname = host;
  return Object.create(config, { redisUrl: { value: redisUrl } }) as C;
}
