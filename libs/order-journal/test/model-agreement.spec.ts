import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  emptyOrder,
  findOperation,
  fold,
  operationTag,
  RULES_VERSION,
  verdictOf,
  type JournalRecord,
  type OrderState,
} from '../src/index.js';

/**
 * Logs of the rules' safety model: two authorizations of one order, kills, pauses, stale reads, delayed, repeated and reordered appends. After every
 * record the fold must have the model's state and give the same verdicts.
 *
 * A record is [kind, operation, attempt, token, …]: I intent (may supersede), N not executed, O outcome, D in doubt, X operator's "not executed", G
 * given up, M tagged notification. A state is `ATTEMPT PHASE END` for A and B: phases i o d r e, ends + - x 0.
 */
type ModelRecord = [kind: string, operation: string, attempt: number, token: number | null, rest?: boolean | string];

interface ModelRun {
  seed: number;
  log: ModelRecord[];
  states: string[];
  verdicts: Record<string, string>;
}

const logs = JSON.parse(readFileSync(join(__dirname, 'model-logs.json'), 'utf8')) as ModelRun[];
const inOrder = { rulesVersion: RULES_VERSION, merchant: 'shop-fr', orderId: 'o', at: '2026-03-01T10:00:00.000Z' };
/** The model has no time; its operator waits as long as R5 requires. */
const LATER = '2026-03-01T10:15:00.000Z';
const RESULTS = { succ: 'succeeded', ref: 'refused', redir: 'redirect_required', nx: 'not_executed' } as const;
const CODES = { succ: '0000', ref: '4001', redir: '0002', nx: '5001' } as const;
const PHASES = { idle: 'i', open: 'o', in_doubt: 'd', redirect_required: 'r', pending: 'p', ended: 'e' } as const;
const ENDS = { succeeded: '+', refused: '-', rejected: 'x', not_executed: '0', given_up: '0', expired: '?' } as const;
const VERDICTS: Record<string, string> = { rej: 'rejected' };

function journaled([kind, commandId, attempt, number, rest]: ModelRecord): JournalRecord {
  const token = `token-${number}`;
  const ofAttempt = { ...inOrder, commandId, attempt, token };
  const result = rest as keyof typeof RESULTS;
  const answer = { transactionId: `T-${commandId}` };
  switch (kind) {
    case 'I': {
      const supersedes = rest ? { supersedes: commandId === 'A' ? 'B' : 'A' } : {};
      return {
        record: 'INTENT',
        ...ofAttempt,
        operation: 'authorize',
        method: 'A',
        currency: 'EUR',
        contentHash: commandId,
        ...supersedes,
      };
    }
    case 'N':
      return { record: 'NOT_EXECUTED', ...ofAttempt, reason: 'execcode', message: '', execCode: '5001' };
    case 'O':
      return { record: 'OUTCOME', ...ofAttempt, result: RESULTS[result] as 'succeeded', answer };
    case 'D':
      return { record: 'IN_DOUBT', ...ofAttempt, reason: 'timeout', message: '' };
    case 'G':
      return { record: 'GIVEN_UP', ...inOrder, commandId, attempt, code: 'platform_unavailable', message: '' };
    case 'X':
      return {
        record: 'EVIDENCE',
        ...inOrder,
        at: LATER,
        source: 'operator',
        operation: 'authorize',
        result: 'not_executed',
        commandId,
        attempt,
        answer: {},
      };
    case 'M': {
      const tag = { operation: operationTag(commandId), attempt };
      return {
        record: 'EVIDENCE',
        ...inOrder,
        source: 'notification',
        operation: 'authorize',
        result: RESULTS[result],
        tag,
        answer: { ...answer, execCode: CODES[result] },
      };
    }
    default:
      throw new Error(`unknown record ${kind}`);
  }
}

function stateOf(order: OrderState, commandId: string): string {
  const operation = findOperation(order, commandId);
  if (!operation) return '1i';
  return `${operation.attempt}${PHASES[operation.phase]}${operation.end ? ENDS[operation.end] : ''}`;
}

it.each(logs.map((run) => [run.seed, run] as const))(
  'agrees with the model, seed %i',
  (_seed, { log, states, verdicts }) => {
    let order = emptyOrder('shop-fr', 'o');
    for (const [offset, record] of log.entries()) {
      order = fold(order, journaled(record), BigInt(offset)).order;
      expect([offset, `${stateOf(order, 'A')} ${stateOf(order, 'B')}`]).toEqual([offset, states[offset]]);
    }
    const given = Object.keys(verdicts).map((token) => [token, verdictOf(order, `token-${token}`)]);
    expect(given).toEqual(Object.entries(verdicts).map(([token, verdict]) => [token, VERDICTS[verdict] ?? verdict]));
  },
);
