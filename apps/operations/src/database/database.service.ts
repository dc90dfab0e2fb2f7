import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { reasonOf, untilUp } from '@tranche/runtime';
import { Health, ServiceLifetime, ServiceLogger } from '@tranche/service-kit';
import postgres from 'postgres';
import { OperationsConfig } from '../operations.config.js';
import { MIGRATIONS } from './migrations.js';

export type Sql = postgres.Sql;
/** A part of a statement. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>;

const CONNECT_SECONDS = 10;
const LAST_STATEMENTS_SECONDS = 5;
/** A statement that takes longer is ended by PostgreSQL, so that nobody waits for it in vain. */
const STATEMENT_MS = 30_000;
/** A pool is used for so long at least, also while PostgreSQL refuses connections. */
const POOL_MS = 1_000;

const UNIQUE_VIOLATION = '23505';
const TEXT_ARRAY = 1009;
/** The driver would ask PostgreSQL for the types of arrays at each connection, and end the process where that one is cut off meanwhile. */
const textArray = {
  to: TEXT_ARRAY,
  from: [TEXT_ARRAY],
  serialize: (texts: readonly (string | null)[]) =>
    `{${texts.map((text) => (text === null ? 'NULL' : `"${text.replace(/["\\]/g, String.raw`\$&`)}"`)).join()}}`,
  parse: (text: string) => text,
};

/**
 * The connections to PostgreSQL, whose `search_path` is the service's own schema. Nothing here waits inside of a transaction: where the
 * connection of one is cut off, the driver ends the process, or says the rest on another connection (docs/decisions/0111).
 */
@Injectable()
export class Database implements OnApplicationShutdown, OnModuleInit {
  readonly schema: string;
  #sql: Sql;
  #openedAtMs = 0;
  #isCut = false;
  #trouble?: string;

  constructor(
    private readonly config: OperationsConfig,
    private readonly lifetime: ServiceLifetime,
    private readonly log: ServiceLogger,
    health: Health,
  ) {
    this.schema = config.databaseSchema;
    this.#sql = this.#open();
    health.addReadiness('postgresql', () => this.#trouble);
  }

  /**
   * The pool; another one after a connection was cut off. A statement that the driver began just then would never end, and that connection
   * would stay unusable, so the pool before is given up: what it did not answer fails.
   */
  get sql(): Sql {
    if (this.#isCut && performance.now() - this.#openedAtMs > POOL_MS) {
      void this.#sql.end({ timeout: STATEMENT_MS / 1_000 });
      this.#sql = this.#open();
    }
    return this.#sql;
  }

  #open(): Sql {
    const { config } = this;
    this.#openedAtMs = performance.now();
    this.#isCut = false;
    const sql: Sql = postgres(config.databaseUrl.href, {
      max: config.databaseConnections,
      connect_timeout: CONNECT_SECONDS,
      connection: {
        application_name: 'tranche-operations',
        search_path: config.databaseSchema,
        statement_timeout: STATEMENT_MS,
      },
      fetch_types: false,
      types: { textArray },
      onnotice: () => undefined,
      onclose: () => (this.#isCut ||= sql === this.#sql),
    });
    return sql;
  }

  /** Waits until PostgreSQL answers, and makes the tables. Several instances that start at once wait for each other. */
  async onModuleInit(): Promise<void> {
    const { log, lifetime } = this;
    await untilUp('PostgreSQL', () => this.migrate(), { log, signal: lifetime.stopping });
  }

  async migrate(): Promise<void> {
    const { schema, sql, log } = this;
    // All instances of this schema, and nobody else, wait for this lock.
    const alone = `select pg_advisory_xact_lock(hashtext('tranche ${schema}'))`;
    await this.atomically(
      alone,
      `create schema if not exists "${schema}"`,
      'create table if not exists migrations (number int primary key, made_at timestamptz not null default now())',
    );
    const rows = await sql<{ number: number }[]>`select number from migrations`;
    const made = new Set(rows.map(({ number }) => number));
    const newest = Math.max(0, ...made);
    const known = MIGRATIONS.at(-1)!.number;
    if (newest > known)
      throw new Error(
        `The schema ${schema} has migration ${newest}, this release knows ${known}: start the newer release, or drop the schema and let it be built anew`,
      );
    for (const { number, sql: statements } of MIGRATIONS.filter((one) => !made.has(one.number))) {
      try {
        await this.atomically(alone, `insert into migrations (number) values (${number})`, statements);
        log.info({ schema, number }, 'A migration was made');
      } catch (error) {
        // Another instance made it meanwhile.
        if ((error as { code?: string }).code !== UNIQUE_VIOLATION) throw error;
      }
    }
  }

  /** Several statements in one message: PostgreSQL takes all or nothing. They have no parameters. */
  async atomically(...statements: readonly string[]): Promise<void> {
    await this.sql.unsafe(statements.join(';\n')).simple();
  }

  /** A condition for rows of these merchants; undefined for all. */
  ofMerchants(merchants: readonly string[] | undefined): Fragment {
    return merchants === undefined ? this.sql`true` : this.sql`merchant = any(${[...merchants]})`;
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
    return this.#sql.end({ timeout: LAST_STATEMENTS_SECONDS });
  }
}
