import { IsIn, IsOptional, Matches, Max, Min } from 'class-validator';
import { readProxies, type IsProxy } from './client-address.js';
import { Env, type ChecksItself, type ConfigFault } from './config.js';
import { LOG_LEVELS, type LogLevel } from './logger.js';
import { Secret } from './secret.js';

const HOST_AND_PORT = /^(?:[\w.-]+|\[[0-9A-Fa-f:.]+\]):\d{1,5}$/;
const NODES = { each: true, message: 'must be host:port, comma-separated' };

export interface RedisTopology {
  /** Seed nodes of a Redis Cluster, `host:port`. */
  clusterNodes?: readonly string[];
  /** Sentinels that know the master; `nodes` are `host:port`. */
  sentinels?: { nodes: readonly string[]; master: string; username?: string; password?: string };
}

export class KitConfig implements ChecksItself {
  @Env('LOG_LEVEL', { doc: `how much is logged: ${LOG_LEVELS.join(', ')}`, default: 'info' })
  @IsIn(LOG_LEVELS)
  logLevel: LogLevel;

  @Env('BIND_ADDRESS', { doc: 'the address that the ports are opened on', default: '0.0.0.0' })
  bindAddress: string;

  @Env('MANAGEMENT_BIND_ADDRESS', {
    doc: 'the address that the port of health, metrics and operators is opened on; `BIND_ADDRESS` if not set',
    optional: true,
  })
  managementBindAddress?: string;

  @Env('TRUSTED_PROXIES', {
    doc: 'addresses and networks of your proxies, comma-separated (`10.0.0.0/8`), whose `X-Forwarded-For` is believed on the public port',
    optional: true,
    read: readProxies,
  })
  isProxy?: IsProxy;

  @Env('PLAINTEXT_HOSTS', {
    doc: 'hosts that production mode (`TOPICS=check`) lets be reached without TLS, comma-separated: something else encrypts the way, as a service mesh does',
    optional: true,
  })
  @IsOptional()
  @Matches(/^(?:[\w.-]+|\[[0-9A-Fa-f:.]+\])$/, {
    each: true,
    message: 'must be host names or addresses, without ports',
  })
  plaintextHosts?: string[];

  @Env('BUILD_VERSION', { doc: 'what this build is called in `tranche_build_info`', default: 'dev' })
  @Matches(/^[\w.+-]{1,64}$/, { message: 'must be 1 to 64 letters, digits, dots, plus signs, underscores and hyphens' })
  buildVersion: string;

  @Env('REDIS_CA_FILE', {
    doc: 'PEM file of the authorities that may have signed the certificate of Redis (`rediss://`); those of Node.js if not set',
    optional: true,
    file: true,
  })
  redisCaFile?: string;

  @Env('REDIS_CLUSTER_NODES', {
    doc: 'nodes of a Redis Cluster that tell which the others are, `host:port`, comma-separated; `REDIS_URL` then gives user, password and `rediss://`, and its host does not count',
    optional: true,
  })
  @IsOptional()
  @Matches(HOST_AND_PORT, NODES)
  redisClusterNodes?: string[];

  @Env('REDIS_SENTINEL_NODES', {
    doc: 'sentinels that tell where the master of Redis is, `host:port`, comma-separated; `REDIS_URL` then gives user, password, database and `rediss://`, and its host does not count',
    optional: true,
  })
  @IsOptional()
  @Matches(HOST_AND_PORT, NODES)
  redisSentinelNodes?: string[];

  @Env('REDIS_SENTINEL_MASTER', { doc: 'the name that the sentinels know the master by', optional: true })
  redisSentinelMaster?: string;

  @Env('REDIS_SENTINEL_USERNAME', { doc: 'user of the sentinels, where they have ACLs', optional: true })
  redisSentinelUsername?: string;

  @Env('REDIS_SENTINEL_PASSWORD', { doc: 'password of the sentinels, where they ask for one', optional: true })
  redisSentinelPassword?: Secret;

  @Env('SHUTDOWN_TIMEOUT_MS', {
    doc: 'how long a graceful stop may take, milliseconds; 25000 if not set, or longer where the service needs it',
    optional: true,
  })
  @Min(100)
  @Max(600_000)
  shutdownTimeoutMs?: number;

  @Env('OTEL_EXPORTER_OTLP_ENDPOINT', {
    doc: 'where spans are sent by OTLP over HTTP (`/v1/traces` is added); nowhere if not set',
    optional: true,
    fromFile: true,
  })
  otlpEndpoint?: URL;

  @Env('OTEL_SERVICE_NAME', { doc: 'what spans call the service; its own name if not set', optional: true })
  otelServiceName?: string;

  @Env('OTEL_RESOURCE_ATTRIBUTES', {
    doc: 'what spans say of their sender beside its name: `name=value`, comma-separated, values percent-encoded',
    optional: true,
    read: checkedAttributes,
  })
  otelResourceAttributes?: string;

  check(): ConfigFault[] {
    const { redisClusterNodes: cluster, redisSentinelNodes: sentinels, redisSentinelMaster: master } = this;
    const faults: ConfigFault[] = [];
    if (cluster !== undefined && sentinels !== undefined)
      faults.push({ name: 'REDIS_CLUSTER_NODES', message: 'is set beside REDIS_SENTINEL_NODES: set one of them' });
    if (sentinels !== undefined && master === undefined)
      faults.push({
        name: 'REDIS_SENTINEL_MASTER',
        message: 'is not set. Set it to the name that the sentinels know the master by',
      });
    if (sentinels === undefined && master !== undefined)
      faults.push({ name: 'REDIS_SENTINEL_NODES', message: 'is not set, though REDIS_SENTINEL_MASTER is' });
    return faults;
  }

  get redisTopology(): RedisTopology {
    const { redisClusterNodes, redisSentinelNodes, redisSentinelMaster } = this;
    if (redisClusterNodes !== undefined) return { clusterNodes: redisClusterNodes };
    if (redisSentinelNodes === undefined || redisSentinelMaster === undefined) return {};
    const [username, password] = [this.redisSentinelUsername, this.redisSentinelPassword?.reveal()];
    return {
      sentinels: {
        nodes: redisSentinelNodes,
        master: redisSentinelMaster,
        ...(username !== undefined && { username }),
        ...(password !== undefined && { password }),
      },
    };
  }
}

/** OpenTelemetry reads the variable itself. Where one entry is wrong, it drops the whole list and reports nothing. */
function checkedAttributes(text: string): string {
  for (const entry of text.split(',')) {
    const parts = entry.split('=').map((part) => part.trim());
    if (parts.length !== 2 || parts[0] === '')
      throw new Error(
        'has an entry that is not name=value. Separate entries by single commas, and write = in a value as %3D',
      );
    if (parts.some((part) => decoded(part).length > 255))
      throw new Error('has a name or a value of more than 255 characters');
  }
  return text;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    throw new Error('has a % that begins no encoded character: write it as %25', { cause: error });
  }
}
