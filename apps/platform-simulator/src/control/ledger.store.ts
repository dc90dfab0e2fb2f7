import type { Clock } from '../clock.service.js';
import { kept } from '../request/flat-parameters.js';
import { expireIfOverdue } from '../transactions/state-machine.js';
import type { Transaction } from '../transactions/transaction.js';

/** A received request with the names of its parameters. Values are left out, because they may be secret. */
export interface Call {
  readonly time: string;
  readonly operation: string;
  readonly identifier?: string;
  readonly orderId?: string;
  readonly transactionId?: string;
  readonly parameters: readonly string[];
  /**
   * EXECCODE or HTTP status of the answer, or the fault in its place (`reset`, `hang`, `garbage` …); absent while the call is in flight.
   */
  answered?: string;
  executed: boolean;
}

interface Execution {
  readonly timeMs: number;
  readonly transaction: Transaction;
  readonly answered: string;
  readonly origin: 'request' | 'back-office';
}

interface LedgerFilter {
  readonly identifier?: string;
  readonly orderId?: string;
  /** The beginning of the ORDERID. */
  readonly orderPrefix?: string;
}

const MAX_CALLS = 100_000;
const MAX_NAME_LISTS = 10_000;

/** Records the requests received and the operations executed. Tests compare the services' results with it. */
export class Ledger {
  #calls: Call[] = [];
  #callsReceived = 0;
  #callsForgotten = 0;
  #executions: Execution[] = [];
  readonly #nameLists = new Map<string, readonly string[]>();

  constructor(private readonly clock: Clock) {}

  received(operation: string, parameters: ReadonlyMap<string, string>): Call {
    const call: Call = {
      time: this.clock.iso(),
      operation,
      identifier: kept(parameters, 'IDENTIFIER'),
      orderId: kept(parameters, 'ORDERID'),
      transactionId: kept(parameters, 'TRANSACTIONID'),
      parameters: this.#namesOf(parameters),
      executed: false,
    };
    this.#callsReceived += 1;
    this.#calls.push(call);
    if (this.#calls.length > MAX_CALLS) {
      this.#callsForgotten += MAX_CALLS / 2;
      this.#calls = this.#calls.slice(MAX_CALLS / 2);
    }
    return call;
  }

  executed(transaction: Transaction, answered: string, origin: Execution['origin']): void {
    this.#executions.push({ timeMs: this.clock.nowMs(), transaction, answered, origin });
  }

  read({ identifier, orderId, orderPrefix }: LedgerFilter) {
    const isWanted = (entry: LedgerFilter) =>
      (identifier === undefined || entry.identifier === identifier) &&
      (orderId === undefined || entry.orderId === orderId) &&
      (orderPrefix === undefined || entry.orderId?.startsWith(orderPrefix));
    const nowMs = this.clock.nowMs();
    const operations = this.#executions
      .filter(({ transaction }) => isWanted(transaction))
      .map((execution) => operationOf(execution, nowMs));
    const counts = countsOf(operations);
    return {
      calls: this.#calls.filter(isWanted),
      operations,
      counts,
      totals: {
        ...this.totals,
        operations: operations.length,
        executedTwice: counts.filter(({ executed }) => executed > 1).length,
      },
    };
  }

  /** `callsForgotten` counts the calls that are no longer in `calls`. Operations are never removed. */
  get totals() {
    return { calls: this.#callsReceived, callsForgotten: this.#callsForgotten, operations: this.#executions.length };
  }

  clear(): void {
    this.#calls = [];
    this.#callsReceived = 0;
    this.#callsForgotten = 0;
    this.#executions = [];
  }

  /** Shares equal lists: a benchmark sends the same names a hundred thousand times. */
  #namesOf(parameters: ReadonlyMap<string, string>): readonly string[] {
    const names = [...parameters.keys()];
    const joined = names.join();
    const known = this.#nameLists.get(joined);
    if (known) return known;
    if (this.#nameLists.size >= MAX_NAME_LISTS) this.#nameLists.clear();
    const safe = names.map((name) => Buffer.from(name.replace(/[0-9]{6,}/g, '…').slice(0, 100)).toString());
    this.#nameLists.set(joined, safe);
    return safe;
  }
}

type Operation = ReturnType<typeof operationOf>;

function operationOf({ timeMs, transaction, answered, origin }: Execution, nowMs: number) {
  const { identifier, orderId, operationType, extraData, amount, transactionId, initialId } = transaction;
  const { execCode: finalExecCode } = expireIfOverdue(transaction, nowMs);
  const time = new Date(timeMs).toISOString();
  const codes = { execCode: answered, finalExecCode };
  return { time, identifier, orderId, operationType, extraData, amount, transactionId, initialId, ...codes, origin };
}

function countsOf(operations: readonly Operation[]) {
  const counts = new Map<
    string,
    Pick<Operation, 'identifier' | 'orderId' | 'operationType' | 'extraData'> & { executed: number }
  >();
  for (const { identifier, orderId, operationType, extraData } of operations) {
    const key = JSON.stringify([identifier, orderId, operationType, extraData]);
    const executed = (counts.get(key)?.executed ?? 0) + 1;
    counts.set(key, { identifier, orderId, operationType, extraData, executed });
  }
  return [...counts.values()];
}

const MAX_TOKENS = 10_000;

/** The latest issued tokens, expired ones included. A search for leaked tokens needs this list. */
export class IssuedTokens {
  readonly accessTokens: string[] = [];
  readonly cardTokens: string[] = [];

  note(kind: keyof Pick<IssuedTokens, 'accessTokens' | 'cardTokens'>, token: string): void {
    this[kind].push(token);
    if (this[kind].length > MAX_TOKENS) this[kind].shift();
  }
}
