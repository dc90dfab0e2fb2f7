import type { Type } from '@nestjs/common';
import { readConfig, settingsIn, type ConfigFault } from '../config.js';
import { KitConfig } from '../kit.config.js';
import { productionFaults, isLoopback } from './production-faults.js';

interface ServiceSettings<C extends object> {
  config: C;
  kit: KitConfig;
  /** All faults at once: of the service's settings, of the kit's, and those of production mode. */
  faults: ConfigFault[];
}

/** @param isProduction adds the faults of production mode; the default is TOPICS=check */
export function readServiceSettings<C extends object>(
  Config: Type<C>,
  env: Record<string, string | undefined>,
  { isProduction }: { isProduction?: boolean } = {},
): ServiceSettings<C> {
  const { config, faults: own } = readConfig(Config, env);
  const { config: kit, faults: ofKit } = readConfig(KitConfig, env);
  const faults = [...own, ...ofKit, ...redisFaults(config, kit)];
  if (isProduction ?? (config as { topics?: unknown }).topics === 'check') {
    const hosts = kit.plaintextHosts ?? [];
    const [own, ...others] = [...settingsIn(config), ...settingsIn(kit)];
    faults.push(...productionFaults(withReachedRedis(config, kit), own!.declarations, hosts));
    for (const other of others) faults.push(...productionFaults(other.config, other.declarations, hosts));
  }
  return { config, kit, faults };
}

interface RedisSettings {
  redisUrl?: unknown;
}

/** Contradictions between the Redis settings: the URL belongs to the service, cluster and sentinels to the kit. */
function redisFaults(config: RedisSettings, { redisClusterNodes, redisSentinelNodes }: KitConfig): ConfigFault[] {
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
function withReachedRedis<C extends RedisSettings>(
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
