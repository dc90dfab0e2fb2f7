/** Settings of a Redis server as INFO reports them, as far as the index depends on them. */
export interface RedisReport {
  address: string;
  evictedKeys: number;
  policy: string | undefined;
  /** True where it writes an append-only file; undefined where INFO does not say. */
  appendsToFile: boolean | undefined;
}

export function readRedisReport(address: string, info: string): RedisReport {
  const field = (name: string) => new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1];
  const aofEnabled = field('aof_enabled');
  return {
    address,
    evictedKeys: Number(field('evicted_keys') ?? 0),
    policy: field('maxmemory_policy'),
    appendsToFile: aofEnabled === undefined ? undefined : aofEnabled === '1',
  };
}

/** Returns why these servers may not hold the index: all faults of the first server that has any. */
export function faultOfRedis(
  servers: readonly RedisReport[],
  { isProduction }: { isProduction: boolean },
): string | undefined {
  for (const server of servers) {
    const faults = [evictionFault(server), isProduction ? fileFault(server) : undefined].filter(Boolean);
    if (faults.length === 0) continue;
    return `Redis${servers.length > 1 ? ` at ${server.address}` : ''} ${faults.join('; it ')}`;
  }
  return undefined;
}

function evictionFault({ policy }: RedisReport): string | undefined {
  if (policy === undefined)
    return 'does not say whether it evicts keys: allow the command INFO to the user of the gateway';
  return policy === 'noeviction'
    ? undefined
    : `evicts keys (maxmemory-policy ${policy}). Set maxmemory-policy noeviction`;
}

/** The index may hold records that brokers lost in a power failure, so it must survive the same failure. */
function fileFault({ policy, appendsToFile }: RedisReport): string | undefined {
  if (appendsToFile) return undefined;
  // The fault above already covers a server that reports nothing.
  if (appendsToFile === undefined && policy === undefined) return undefined;
  return `${appendsToFile === undefined ? 'does not say whether it writes an' : 'writes no'} append-only file (aof_enabled of INFO), and would lose the index when it ends. Set appendonly yes`;
}
