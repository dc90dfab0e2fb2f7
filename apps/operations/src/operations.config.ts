import { ArrayMinSize, IsIn, IsInt, Matches, Max, Min } from 'class-validator';
import type { KafkaSettings } from '@tranche/kafka';
import { OperatorsConfig } from '@tranche/operators';
import {
  AreBrokers,
  Env,
  isLoopback,
  KafkaConfig,
  Part,
  Secret,
  type ConfigFault,
  type ProductionView,
} from '@tranche/service-kit';
import { readExportColumns, type ExportColumns } from './export/platform-export.js';

/** All orders pass over the connection. */
function databaseInProduction({ hostname, password, searchParams }: URL, { isProtected }: ProductionView): string[] {
  const isEncrypted = isProtected(hostname) || searchParams.get('sslmode') === 'verify-full';
  return [
    ...(isEncrypted ? [] : ['must end with ?sslmode=verify-full: the way to another machine needs TLS']),
    ...(password === '' && !isLoopback(hostname)
      ? ['has no password: whoever reaches that PostgreSQL sees all orders']
      : []),
  ];
}

/** Only an https address can be linked: no text of the page becomes a script. The host is named before the order is. */
function readBackOffice(text: string): string {
  const rest = text.replaceAll(/\{(?:orderId|merchant)\}/g, '');
  if (!text.includes('{orderId}') || !/^https:\/\/[^/?#\s{}]+\/[^\s{}]*$/.test(rest) || /^[^/]+\/\/[^/]*\{/.test(text))
    throw new Error('must be an https URL with {orderId}, and maybe {merchant}, in its path or query');
  if (!URL.canParse(rest)) throw new Error('is no URL');
  return text;
}

export class OperationsConfig extends KafkaConfig {
  @Env('PORT', { doc: "port of the operators' API", default: 4060 })
  @Min(0)
  @Max(65_535)
  port: number;

  @Env('MANAGEMENT_PORT', { doc: 'port of health and metrics', default: 4160 })
  @Min(0)
  @Max(65_535)
  managementPort: number;

  @Env('KAFKA_BROKERS', { doc: 'host:port, comma-separated', default: ['127.0.0.1:9092'] })
  @ArrayMinSize(1)
  @AreBrokers()
  kafkaBrokers: string[];

  @Env('DATABASE_URL', {
    doc: 'the PostgreSQL (15 or newer) that the orders are kept in; `?sslmode=verify-full` for TLS',
    secret: true,
    default: 'postgres://tranche@127.0.0.1:5432/postgres',
    protocols: ['postgres', 'postgresql'],
    inProduction: databaseInProduction,
  })
  databaseUrl: URL;

  @Env('DATABASE_SCHEMA', {
    doc: 'schema in which the service makes its tables; it touches no other one',
    default: 'operations',
  })
  @Matches(/^[a-z][a-z0-9_]{0,62}$/, { message: 'must be 1 to 63 lower-case letters, digits and underscores' })
  databaseSchema: string;

  @Env('DATABASE_CONNECTIONS', { doc: 'connections to PostgreSQL at most', default: 8 })
  @IsInt()
  @Min(2)
  @Max(100)
  databaseConnections: number;

  @Env('GATEWAY_URL', {
    doc: "base URL of a payment-gateway's management port: decisions are passed on to it",
    fromFile: true,
    default: 'http://127.0.0.1:4101',
  })
  gatewayUrl: URL;

  @Env('GATEWAY_KEY', {
    doc: "key of an operator with the role `viewer` in the gateway's OPERATORS_FILE: with it sampled orders are compared with the gateway's index; not compared without it",
    optional: true,
  })
  gatewayKey?: Secret;

  @Env('COMPARE_EVERY_MS', { doc: 'milliseconds between two comparisons with the index', default: 300_000 })
  @IsInt()
  @Min(1_000)
  @Max(86_400_000)
  compareEveryMs: number;

  @Env('OPERATIONS_KEEP_DAYS', {
    doc: 'days for which orders that moved no more, and records, are kept here, also beyond those of the journal',
    default: 400,
  })
  @IsInt()
  @Min(35)
  @Max(3_650)
  keepDays: number;

  @Env('EXPORT_COLUMNS', {
    doc: "headings of the platform's export (CSV with `;`), `FIELD=HEADING`, comma-separated: orderId, transactionId, operation, amount (minor units), execCode, at",
    default:
      'orderId=ORDERID,transactionId=TRANSACTIONID,operation=OPERATIONTYPE,amount=AMOUNT,execCode=EXECCODE,at=DATE',
    read: readExportColumns,
  })
  exportColumns: ExportColumns;

  @Env('TOPICS', { doc: '`create` for development, or `check`: production mode', default: 'create' })
  @IsIn(['create', 'check'])
  topics: 'create' | 'check';

  @Env('BACK_OFFICE_URL', {
    doc: "address of an order in the platform's back office, https, with `{orderId}` and, where it is part of it, `{merchant}`: the page links it; no links without it",
    optional: true,
    read: readBackOffice,
  })
  backOfficeUrl?: string;

  @Env('OPERATORS_OIDC_CLIENT_ID', {
    doc: "public client (code flow with PKCE, no secret) of OPERATORS_OIDC_ISSUER by which the page signs people in; the issuer must allow `https://HOST/sign-in` as its redirect, `https://HOST/` after a sign-out, and the page's origin (CORS) at its token endpoint; without it a token is pasted",
    optional: true,
  })
  oidcClientId?: string;

  @Env('OPERATORS_OIDC_SCOPE', {
    doc: 'scope that the page requests, `openid` and whatever the issuer wants for a token with the audience',
    default: 'openid',
  })
  @Matches(/^openid(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/, {
    message: 'must be openid, then further scopes, space-separated',
  })
  oidcScope: string;

  @Part()
  operators: OperatorsConfig;

  check(): ConfigFault[] {
    if (this.oidcClientId === undefined || this.operators.oidc.issuer !== undefined) return [];
    return [{ name: 'OPERATORS_OIDC_CLIENT_ID', message: 'needs OPERATORS_OIDC_ISSUER, whose client it is' }];
  }

  /** The client by which the page signs people in. */
  get pageSignIn(): { issuer: string; clientId: string; scope: string } | undefined {
    const { issuer } = this.operators.oidc;
    const { oidcClientId: clientId, oidcScope: scope } = this;
    return issuer === undefined || clientId === undefined ? undefined : { issuer, clientId, scope };
  }

  get kafka(): Pick<KafkaSettings, 'brokers' | 'ssl' | 'sasl'> {
    return { brokers: this.kafkaBrokers, ...this.kafkaSecurity };
  }
}
