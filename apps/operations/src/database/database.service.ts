import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { reasonOf, untilUp } from '@tranche/runtime';
import { Health, ServiceLifetime, ServiceLogger } from '@tranche/service-kit';
import postgres from 'postgres';
import { OperationsConfig } from '../operations.config.js';
import { MIGRATIONS } from './migrations.js';

export type Sql = postgres.Sql;
export type Transaction = postgres.TransactionSql;
/** A part of a statement. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>;

const CONNECT_SECONDS = 10;
const LAST_STATEMENTS_SECONDS = 5;
/** A statement that takes longer is ended by PostgreSQL, so that nobody waits for it in vain. */
const STATEMENT_MS = 30_000;

/** A process that is frozen in a transaction holds its position's lock no longer: another instance goes on. */
const FROZEN_MS = 5_000;

/** The connections to PostgreSQL, whose `search_path` is the service's own schema. */
@Injectable()
export class Database implements OnApplicationShutdown, OnModuleInit {
  readonly sql: Sql;
  readonly schema: string;
  #trouble?: string;

  constructor(
    config: OperationsConfig,
    private readonly lifetime: ServiceLifetime,
    private readonly log: ServiceLogger,
    health: Health,
  ) {
    this.schema = config.databaseSchema;
    this.sql = postgres(config.databaseUrl.href, {
      max: config.databaseConnections,
      connect_timeout: CONNECT_SECONDS,
      connection: {
        application_name: 'tranche-operations',
        search_path: config.databaseSchema,
        statement_timeout: STATEMENT_MS,
        idle_in_transaction_session_timeout: FROZEN_MS,
      },
      onnotice: () => undefined,
    });
    health.addReadiness('postgresql', () => this.#trouble);
  }

  /** Waits until PostgreSQL answers, and makes the tables. Several instances that start at once wait for each other. */
  async onModuleInit(): Promise<void> {
    const { log, lifetime } = this;
    await untilUp('PostgreSQL', () => this.migrate(), { log, signal: lifetime.stopping });
  }

  async migrate(): Promise<void> {
    const { schema } = this;
    await this.sql.begin(async (sql) => {
      // All instances of this schema, and nobody else, wait for this lock. It ends with the transaction.
      await sql`select pg_advisory_xact_lock(hashtext(${`tranche ${schema}`}))`;
      await sql`create schema if not exists ${sql(schema)}`;
      await sql`create table if not exists migrations (number int primary key, made_at timestamptz not null default now())`;
      const made = new Set(
        (await sql<{ number: number }[]>`select number from migrations`).map(({ number }) => number),
      );
      const newest = Math.max(0, ...made);
      const known = MIGRATIONS.at(-1)!.number;
      if (newest > known)
        throw new Error(
          `The schema ${schema} has migration ${newest}, this release knows ${known}: start the newer release, or drop the schema and let it be built anew`,
        );
      for (const { number, sql: statements } of MIGRATIONS.filter((one) => !made.has(one.number))) {
        await sql.unsafe(statements);
        await sql`insert into migrations (number) values (${number})`;
        this.log.info({ schema, number }, 'A migration was made');
      }
    });
  }

  failed(error: unknown): void {
    const reason = reasonOf(error);
    if (this.#trouble === undefined) this.log.warn({ err: error }, `PostgreSQL can not be used: ${reason}`);
    this.#trouble = reason;
  }

  works(): void {
    if (this.#trouble !== undefined) this.log.info({}, 'PostgreSQL can be used again');
    this.#trouble = undefined;
  }

  onApplicationShutdown(): Promise<void> {
    return this.sql.end({ timeout: LAST_STATEMENTS_SECONDS });
  }
}
