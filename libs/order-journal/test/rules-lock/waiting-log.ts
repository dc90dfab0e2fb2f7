import { createHash } from 'node:crypto';
import { RULES_VERSION, type JournalRecord } from '../../src/index.js';
import type { Log } from './random-log.js';
import { Seeded } from './seeded.js';

type Bare = { record: JournalRecord['record'] } & Record<string, unknown>;

const START_MS = Date.UTC(2026, 2, 1, 10);
const HOUR_MS = 3_600_000;

/** The journal of an order whose payments wait or are in doubt, from a seed; `random-log.ts` makes none of these. Never change the log of a seed. */
export function waitingLog(seed: number): Log {
  const random = new Seeded(seed);
  const kind = random.pick(['authorize', 'authorize', 'pay']);
  const method = kind === 'pay' ? 'card' : random.pick(['A', 'B']);
  const records: Bare[] = [intent(random, kind, method, 'first'), ...begun(random, 'first')];
  const happenings = 2 + random.below(7);
  for (let n = 0; n < happenings; n++) records.push(...happening(random, kind, method));
  let nowMs = START_MS;
  return records.map((bare, at) => {
    nowMs += random.pick([0, 0, 15 * 60_000, 6 * HOUR_MS, 24 * HOUR_MS, 144 * HOUR_MS, 168 * HOUR_MS]);
    const isBehind = random.chance(0.05);
    const time = new Date(isBehind ? nowMs - 240 * HOUR_MS : nowMs).toISOString();
    const whole = { ...bare, rulesVersion: RULES_VERSION, merchant: 'shop-fr', orderId: 'o', at: time };
    return [BigInt(at), whole as unknown as JournalRecord] as const;
  });
}

function intent(random: Seeded, operation: string, method: string, id: string, more: object = {}): Bare {
  const terms = { operation, method, currency: 'EUR', contentHash: id, amount: 20_000 };
  const tag = operation === 'pay' || random.chance(0.1) ? {} : { tag: tagOf(id) };
  const permits = random.chance(0.6) ? { mayLookUp: true } : {};
  return { record: 'INTENT', commandId: id, attempt: 1, token: `${id}#1`, ...terms, ...tag, ...permits, ...more };
}

/** A form, an approval, a doubt, or a doubt and then its late answer. */
function begun(random: Seeded, id: string): Bare[] {
  const identity = { commandId: id, attempt: 1, token: `${id}#1` };
  const result = random.pick(['redirect_required', 'redirect_required', 'pending', 'succeeded']);
  const execCode = { redirect_required: '0002', pending: '0003', succeeded: '0000' }[result];
  const page = result === 'redirect_required' ? { redirectHtml: 'PGh0bWw+' } : {};
  const outcome: Bare = {
    record: 'OUTCOME',
    ...identity,
    result,
    answer: { execCode, transactionId: `T-${id}`, ...page },
  };
  const doubt: Bare = { record: 'IN_DOUBT', ...identity, reason: 'timeout', message: 'm' };
  return random.pick([[outcome], [outcome], [doubt], [doubt, outcome]]);
}

function happening(random: Seeded, kind: string, method: string): Bare[] {
  const id = random.pick(['first', 'first', 'second']);
  const ofOperation = { commandId: id, attempt: 1 };
  const reminder = random.pick(['look_up_15_minutes', 'look_up_24_hours', 'look_up_not_executed', 'doubt_24_hours']);
  const supersedes = random.chance(0.7) ? { supersedes: 'first' } : {};
  const permission = random.chance(0.7) ? { supersedesDoubt: true } : {};
  const late: Bare = {
    ...{ record: 'OUTCOME', ...ofOperation, token: `${id}#1`, result: 'redirect_required' },
    answer: { execCode: '0002', transactionId: `T-${id}`, redirectHtml: 'PGh0bWw+' },
  };
  const capture = { ...intent(random, 'capture', method, 'capture'), transactionId: `T-${id}` };
  return random.pick<Bare[]>([
    [{ record: 'EXPIRED', ...ofOperation }],
    [{ record: 'REMINDED', ...ofOperation, reminder }],
    [report(random, kind, id, 'notification')],
    [report(random, kind, id, 'notification')],
    [report(random, kind, id, 'look-up')],
    [operator(random, kind, id)],
    [{ record: 'NOT_EXECUTED', ...ofOperation, token: `${id}#1`, reason: 'execcode', message: 'm', execCode: '5003' }],
    [intent(random, 'authorize', method === 'card' ? 'A' : method, 'second', { ...supersedes, ...permission })],
    [intent(random, 'authorize', 'A', 'second', { ...supersedes, ...permission }), ...begun(random, 'second')],
    [late],
    [capture],
  ]);
}

const CODES = {
  succeeded: '0000',
  refused: '4001',
  redirect_required: '0002',
  pending: '0003',
  not_executed: '5003',
} as const;

function report(random: Seeded, operation: string, id: string, source: string): Bare {
  const result = random.pick(Object.keys(CODES) as (keyof typeof CODES)[]);
  const language = random.pick([{}, { language: 'cs', languageOf: ['B', 'card'] }, { language: 'fr' }]);
  const details = {
    ...(random.chance(0.3) ? { currency: random.pick(['EUR', 'USD']) } : {}),
    ...(random.chance(0.2) ? { maskedCard: 'XXXXXXXXXXXX1234', cardBrand: 'visa' } : {}),
    ...(random.chance(0.3) ? { executedAt: new Date(START_MS + random.below(48) * HOUR_MS).toISOString() } : {}),
    ...language,
  };
  const answer = { execCode: CODES[result], transactionId: `T-${id}` };
  const tag = operation === 'pay' || random.chance(0.2) ? {} : { tag: { operation: tagOf(id), attempt: 1 } };
  return { record: 'EVIDENCE', source, operation, result, answer, ...tag, ...details };
}

function operator(random: Seeded, operation: string, id: string): Bare {
  const result = random.pick(['succeeded', 'refused', 'not_executed', 'redirect_required']);
  const who = { commandId: id, attempt: 1, actor: 'alice', reason: 'seen in the back office' };
  return { record: 'EVIDENCE', source: 'operator', operation, result, answer: {}, ...who };
}

/** Makes tags as in EXTRADATA. A copy of the code, so that a seed's log does not change with it. */
export const tagOf = (commandId: string): string =>
  createHash('sha256').update(commandId).digest('base64url').slice(0, 12);
