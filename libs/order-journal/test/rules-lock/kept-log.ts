import { emptyOrder, fold, historyOf, RULES_VERSION, type JournalRecord, type OrderState } from '../../src/index.js';
import { carried } from './history-log.js';
import type { Log } from './random-log.js';
import { Seeded } from './seeded.js';
import { tagOf } from './waiting-log.js';

type Bare = { record: JournalRecord['record']; afterMs?: number } & Record<string, unknown>;

const START_MS = Date.UTC(2026, 2, 1, 10);
const DAY_MS = 86_400_000;

/**
 * Logs that the other generators do not make: operations with more attempts than are kept, payments that only our timer ended and that are forgotten
 * too early or in time, and orders that begin with evidence. Never change the log of a seed.
 */
export function keptLog(seed: number): Log {
  const random = new Seeded(seed ^ 0x0ce9);
  const story = random.chance(0.4) ? manyAttempts(random) : leftBehind(random);
  const log: [bigint, JournalRecord][] = [];
  let order: OrderState = emptyOrder('shop-fr', 'o');
  let nowMs = START_MS;
  const land = (record: JournalRecord) => {
    log.push([BigInt(log.length), record]);
    order = fold(order, record, BigInt(log.length - 1)).order;
  };
  for (const { afterMs = 1_000, ...bare } of story) {
    nowMs += afterMs;
    const at = new Date(nowMs).toISOString();
    const whole = {
      ...bare,
      rulesVersion: RULES_VERSION,
      merchant: 'shop-fr',
      orderId: 'o',
      at,
    } as unknown as JournalRecord;
    if (whole.record === 'SNAPSHOT') land(carried(random, order, whole));
    else if (whole.record === 'TOMBSTONE') land({ ...whole, seen: historyOf(order) });
    else land(whole);
  }
  return log;
}

function manyAttempts(random: Seeded): Bare[] {
  const operation = random.pick(['authorize', 'pay', 'capture', 'refund']);
  const isTagged = operation !== 'pay' && random.chance(0.7);
  const last = 15 + random.below(25);
  const records: Bare[] = [];
  for (let attempt = 1; attempt < last; attempt++) {
    const reason = random.chance(0.85) ? random.pick(['unreachable', 'send_deadline']) : 'execcode';
    const code = reason === 'execcode' ? { execCode: '5003' } : {};
    records.push(intent(operation, 'first', attempt, isTagged));
    records.push({ record: 'NOT_EXECUTED', ...attemptOf('first', attempt), reason, message: 'm', ...code });
  }
  if (random.chance(0.8)) records.push(intent(operation, 'first', last, isTagged));
  if (random.chance(0.5))
    records.push({ record: 'IN_DOUBT', ...attemptOf('first', last), reason: 'timeout', message: 'm' });
  const happenings = 1 + random.below(5);
  for (let n = 0; n < happenings; n++) records.push(heard(random, operation, 1 + random.below(last)));
  return records;
}

/** A report about an attempt that may be old: a late answer, also to a token that was never granted, or evidence with or without a tag. */
function heard(random: Seeded, operation: string, attempt: number): Bare {
  const result = random.pick(['succeeded', 'succeeded', 'refused', 'not_executed']);
  const execCode = { succeeded: '0000', refused: '4001', not_executed: '5003' }[result];
  const answer = { execCode, ...(random.chance(0.7) ? { transactionId: `T-${1 + random.below(3)}` } : {}) };
  const tag = random.chance(0.5) ? { tag: { operation: tagOf('first'), attempt } } : {};
  const evidence: Bare = { record: 'EVIDENCE', source: 'notification', operation, result, answer, ...tag };
  if (result === 'not_executed' || random.chance(0.4)) return evidence;
  const token = random.chance(0.15) ? { token: 'stray' } : {};
  return random.pick<Bare>([
    { record: 'OUTCOME', ...attemptOf('first', attempt), ...token, result, answer },
    intent('authorize', 'second', 1, true),
  ]);
}

function leftBehind(random: Seeded): Bare[] {
  const operation = random.pick(['authorize', 'pay']);
  const isPending = random.chance(0.4);
  const execCode = isPending ? '0003' : '0002';
  const answer = { execCode, transactionId: 'T-first' };
  const result = isPending ? 'pending' : 'redirect_required';
  const external = { record: 'EVIDENCE', source: 'notification', operation: 'capture', result: 'succeeded' } as const;
  const records: Bare[] = [
    ...(random.chance(0.3)
      ? [{ ...external, answer: { execCode: '0000', transactionId: 'T-elsewhere', amount: 5_000 } }]
      : []),
    intent(operation, 'first', 1, true),
    { record: 'OUTCOME', ...attemptOf('first', 1), result, answer },
    { record: 'EXPIRED', commandId: 'first', attempt: 1, afterMs: (isPending ? 6 : 7) * DAY_MS },
  ];
  const happenings = 2 + random.below(6);
  for (let n = 0; n < happenings; n++) {
    const afterMs = random.pick([0, DAY_MS, 20 * DAY_MS, 36 * DAY_MS, 70 * DAY_MS, 330 * DAY_MS]);
    const said = random.pick(['succeeded', 'refused']);
    const denied = { execCode: said === 'refused' ? '4017' : '0000', transactionId: 'T-first' };
    const supersedes = random.chance(0.4) ? { supersedes: 'first' } : {};
    records.push({
      ...random.pick<Bare>([
        { record: 'TOMBSTONE', refundableDays: random.pick([35, 100, 400]) },
        { record: 'TOMBSTONE', refundableDays: 400 },
        { record: 'SNAPSHOT' },
        { ...intent('authorize', `second-${n}`, 1, true), ...supersedes },
        { ...intent('authorize', `second-${n}`, 1, true), ...supersedes },
        { record: 'EVIDENCE', source: 'notification', operation, result: said, answer: denied },
        { record: 'OUTCOME', ...attemptOf(`second-${n - 1}`, 1), result: said, answer: { execCode: denied.execCode } },
      ]),
      afterMs,
    });
  }
  return records;
}

const attemptOf = (commandId: string, attempt: number) => ({ commandId, attempt, token: `${commandId}#${attempt}` });

function intent(operation: string, id: string, attempt: number, isTagged: boolean): Bare {
  const method = operation === 'pay' ? 'card' : 'A';
  const terms = { operation, method, currency: 'EUR', contentHash: id, amount: 20_000 };
  const reference = operation === 'capture' || operation === 'refund' ? { transactionId: 'T-elsewhere' } : {};
  const tag = isTagged && operation !== 'pay' ? { tag: tagOf(id) } : {};
  return { record: 'INTENT', ...attemptOf(id, attempt), ...terms, ...reference, ...tag };
}
