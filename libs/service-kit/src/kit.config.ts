import { IsIn, IsOptional, Matches, Max, Min } from 'class-validator';
import { readProxies, type IsProxy } from './client-address/trusted-proxies.js';
import { Env } from './config.js';
import { LOG_LEVELS, type LogLevel } from './logger.js';

/** The settings that every service has beside its own. */
export class KitConfig {
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
}
