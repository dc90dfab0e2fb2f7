/** Lists the states that an operation can be in, each with a journal that leads there. */
import { emptyOrder, findOperation, fold, RULES_VERSION, operationTag } from '@tranche/order-journal';

const DAY_MS = 86_400_000;
const START_MS = Date.parse('2026-03-01T10:00:00.000Z');
export const after = (ms) => new Date(START_MS + ms).toISOString();
const inOrder = { rulesVersion: RULES_VERSION, merchant: 'shop', orderId: 'order', at: after(0) };

export const KINDS = [
  { name: 'authorization', title: 'An authorization of method B', operation: 'authorize', method: 'B', id: 'a' },
  { name: 'card payment', title: 'A card payment', operation: 'pay', method: 'card', id: 'p' },
  { name: 'follow-up', title: 'A capture; refunds and voids are alike', operation: 'capture', method: 'B', id: 'c' },
];

export function recordsOf({ operation, method, id }, change = {}) {
  const reference = operation === 'capture' ? { transactionId: 'T-a' } : { amount: 20_000 };
  const terms = { operation, method, currency: 'EUR', contentHash: id, mayLookUp: true, ...reference, ...change };
  const identity = { ...inOrder, commandId: id, attempt: 1, token: `${id}1` };
  const tag = operation === 'pay' ? {} : { tag: operationTag(id) };
  const answer = (execCode) => ({ execCode, transactionId: `T-${id}` });
  return {
    intent: { record: 'INTENT', ...identity, ...terms, ...tag },
    outcome: (result, execCode) => ({ record: 'OUTCOME', ...identity, result, answer: answer(execCode) }),
    notExecuted: { record: 'NOT_EXECUTED', ...identity, reason: 'execcode', execCode: '5003', message: 'maintenance' },
    inDoubt: { record: 'IN_DOUBT', ...identity, reason: 'timeout', message: 'no answer' },
    rejected: {
      record: 'REJECTED',
      ...identity,
      ...terms,
      faults: [{ path: '', code: 'not_after_passed', message: '' }],
    },
    givenUp: { record: 'GIVEN_UP', ...identity, attempt: 2, code: 'platform_unavailable', message: 'busy' },
    expired: { record: 'EXPIRED', ...identity, at: after(7 * DAY_MS) },
    evidence: (source, result, execCode, more = {}) => ({
      ...{ record: 'EVIDENCE', ...inOrder, at: after(more.afterMs ?? 0), source, operation, result },
      ...{ answer: source === 'operator' ? {} : answer(execCode), ...(more.mayBeDone ? { mayBeDone: true } : {}) },
      ...(source === 'operator'
        ? { commandId: id, attempt: 1, actor: 'operator', reason: 'seen in the books' }
        : operation === 'pay'
          ? {}
          : { tag: { operation: operationTag(id), attempt: 1 } }),
    }),
  };
}

function statesOf(kind) {
  const { intent, outcome, notExecuted, inDoubt, rejected, givenUp, expired, evidence } = recordsOf(kind);
  const authorization = recordsOf(KINDS[0]);
  const before = kind.operation === 'capture' ? [authorization.intent, authorization.outcome('succeeded', '0000')] : [];
  const waits = {
    redirect_required: [intent, outcome('redirect_required', '0002')],
    pending: [intent, outcome('pending', '0003')],
    expired_live: [intent, outcome('redirect_required', '0002'), expired],
  };
  const all = {
    open: [intent],
    idle: [intent, notExecuted],
    in_doubt: [intent, inDoubt],
    ...(kind.operation === 'capture' ? {} : waits),
    ...(kind.operation === 'capture'
      ? {}
      : { expired: [...waits.expired_live, evidence('notification', 'refused', '4017')] }),
    succeeded: [intent, outcome('succeeded', '0000')],
    refused: [intent, outcome('refused', '4001')],
    not_executed: [intent, inDoubt, evidence('operator', 'not_executed', '', { afterMs: DAY_MS })],
    rejected: [rejected],
    given_up: [intent, notExecuted, givenUp],
  };
  return Object.fromEntries(Object.entries(all).map(([state, records]) => [state, [...before, ...records]]));
}

export const BEGUN = Object.fromEntries(KINDS.map((kind) => [kind.name, statesOf(kind)]));

export function stateOf(order, id) {
  const { phase, end, mayYetSucceed } = findOperation(order, id);
  if (mayYetSucceed) return 'expired_live';
  return end ?? phase;
}

export function orderAfter(records) {
  return records.reduce((order, record, at) => fold(order, record, BigInt(at)).order, emptyOrder('shop', 'order'));
}
