import { createHash } from 'node:crypto';
import type { OperationKind } from '@tranche/contracts';
import { RULES_VERSION, type JournalRecord } from '../../src/index.js';
import { Seeded } from './seeded.js';

type Bare = { record: JournalRecord['record']; at?: string } & Record<string, unknown>;
export type Log = readonly (readonly [offset: bigint, record: JournalRecord])[];

const START_MS = Date.UTC(2026, 2, 1, 10);
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

interface Command {
  id: string;
  kind: OperationKind;
  amount: number | undefined;
  isTagged: boolean;
  /** TRANSACTIONID of the operation that it follows. */
  reference: string | undefined;
  supersedes: string | undefined;
}

/**
 * The journal of one order from a seed: commands one after the other, each with its intents, answers, doubts and evidence; then records are removed,
 * duplicated and moved. Never change the log of a seed: a rule of a later version gets a generator of its own beside this one.
 */
export function randomLog(seed: number): Log {
  const random = new Seeded(seed);
  const records = spoilt(random, story(random));
  let nowMs = START_MS;
  let offset = random.chance(0.1) ? BigInt(random.below(1_000)) : 0n;
  const last: { offset?: bigint } = {};
  return records.map((bare) => {
    nowMs += random.pick([0, 20, 1_000, MINUTE_MS, 20 * MINUTE_MS, 20 * MINUTE_MS, 2 * DAY_MS]);
    const seen = bare.seen === 'newest' || bare.record === 'TOMBSTONE' ? { seen: String(last.offset ?? -1n) } : {};
    const whole = {
      ...bare,
      rulesVersion: RULES_VERSION,
      merchant: 'shop-fr',
      orderId: 'o',
      at: new Date(nowMs).toISOString(),
      ...seen,
    };
    const landed = [offset, whole as unknown as JournalRecord] as const;
    last.offset = offset;
    offset += random.chance(0.1) ? 2n : 1n;
    return landed;
  });
}

function story(random: Seeded): Bare[] {
  const commands: Command[] = [];
  const records: Bare[] = [];
  for (let count = 1 + random.below(5); count > 0; count--) {
    const command = drawCommand(random, commands);
    commands.push(command);
    records.push(...lifeOf(random, command, commands));
  }
  return records;
}

function drawCommand(random: Seeded, before: readonly Command[]): Command {
  const follows: OperationKind[] = ['capture', 'capture', 'refund', 'refund', 'void', 'authorize', 'pay'];
  const kind =
    before.length === 0 && random.chance(0.9)
      ? random.pick<OperationKind>(['authorize', 'authorize', 'pay'])
      : random.pick(follows);
  const wanted = kind === 'refund' ? ['capture', 'pay'] : ['authorize'];
  const fits = before.filter((other) => wanted.includes(other.kind));
  const isFollowUp = kind === 'capture' || kind === 'refund' || kind === 'void';
  const source = random.chance(0.8) ? fits.at(-1) : before[random.below(before.length)];
  const redirect = random.chance(0.4)
    ? before.findLast((other) => other.kind === 'authorize' || other.kind === 'pay')
    : undefined;
  return {
    id: `${kind}-${before.length}`,
    kind,
    amount: isFollowUp && random.chance(0.4) ? undefined : random.pick([10_000, 10_000, 6_000, 4_000]),
    isTagged: kind !== 'pay' && random.chance(0.8),
    reference: isFollowUp ? (source ? `T-${source.id}` : random.chance(0.5) ? 'T-elsewhere' : undefined) : undefined,
    supersedes: isFollowUp ? undefined : redirect?.id,
  };
}

/** The records of a command: usual ones, and seldom unusual ones. */
function lifeOf(random: Seeded, command: Command, commands: readonly Command[]): Bare[] {
  const { id } = command;
  const records: Bare[] = [];
  if (random.chance(0.05)) return [rejected(random, command)];
  let attempt = 1;
  for (;;) {
    const token = `${id}#${attempt}`;
    records.push(intent(random, command, attempt, token));
    if (random.chance(0.1)) records.push(evidence(random, command, attempt));
    if (random.chance(0.2) && attempt < 3) {
      const execCode = random.pick(['5003', '2006', undefined]);
      const reason = execCode ? 'execcode' : random.pick(['unreachable', 'auth_refused', 'send_deadline']);
      records.push({
        record: 'NOT_EXECUTED',
        commandId: id,
        attempt,
        token,
        reason,
        message: 'm',
        ...(execCode ? { execCode } : {}),
      });
      attempt++;
      if (random.chance(0.8)) continue;
      records.push({
        record: 'GIVEN_UP',
        commandId: id,
        attempt,
        code: 'platform_unavailable',
        message: 'm',
        retryAfterSeconds: 60,
      });
      break;
    }
    if (random.chance(0.25)) {
      const reason = random.pick(['timeout', 'owner_lost', 'connection_lost']);
      records.push({ record: 'IN_DOUBT', commandId: id, attempt, token, reason, message: 'm' });
      if (random.chance(0.5)) records.push(operator(random, command, attempt));
    }
    if (random.chance(0.8)) records.push(...answered(random, command, attempt, token));
    break;
  }
  // An attempt that was never granted is sent all the same.
  if (random.chance(0.08)) records.push(outcome(random, command, attempt, `${id}#stray`));
  for (let more = random.below(3); more > 0; more--) records.push(evidence(random, command, attempt));
  if (random.chance(0.15)) records.push({ record: 'EXPIRED', commandId: id, attempt });
  if (random.chance(0.15)) {
    records.push({
      record: 'REMINDED',
      commandId: id,
      attempt,
      reminder: random.pick(['capture_window', 'doubt_15_minutes', 'doubt_24_hours']),
    });
  }
  if (random.chance(0.1)) records.push({ record: 'REPEATED', commandId: random.pick(commands).id });
  if (random.chance(0.02)) records.push({ record: 'TOMBSTONE' });
  return records;
}

const termsOf = ({ kind, amount, reference, supersedes, id }: Command): Record<string, unknown> => ({
  ...{
    operation: kind,
    method: kind === 'pay' ? 'card' : 'B',
    currency: 'EUR',
    contentHash: id,
    correlationId: `c-${id}`,
  },
  ...(amount === undefined ? {} : { amount }),
  ...(reference === undefined ? {} : { transactionId: reference }),
  ...(supersedes === undefined ? {} : { supersedes }),
});

function intent(random: Seeded, command: Command, attempt: number, token: string): Bare {
  const tag = command.isTagged ? { tag: tagOf(command.id) } : {};
  const seen =
    command.reference !== undefined && random.chance(0.3) ? { seen: random.chance(0.8) ? 'newest' : '0' } : {};
  return { record: 'INTENT', commandId: command.id, attempt, token, ...termsOf(command), ...tag, ...seen };
}

function rejected(random: Seeded, command: Command): Bare {
  const faults = [{ path: '', code: 'transaction_unknown', message: 'm' }];
  const seen = random.chance(0.5) ? { seen: 'newest' } : {};
  return { record: 'REJECTED', commandId: command.id, attempt: 1, ...termsOf(command), faults, ...seen };
}

const CODES = {
  succeeded: '0000',
  refused: '4001',
  redirect_required: '0002',
  pending: '0003',
  not_executed: '5003',
  in_doubt: '5004',
} as const;
type Result = keyof typeof CODES;

const resultOf = (random: Seeded, { kind }: Command): Result =>
  kind === 'authorize' || kind === 'pay'
    ? random.pick(['succeeded', 'succeeded', 'succeeded', 'refused', 'redirect_required', 'pending'])
    : random.pick(['succeeded', 'succeeded', 'succeeded', 'succeeded', 'refused']);

/** TRANSACTIONID and amount as the platform reports them: seldom other ones, or none. */
function answerOf(
  random: Seeded,
  { id, amount }: Command,
  result: Result,
  isPartial: boolean,
): Record<string, unknown> {
  const said = isPartial ? 5_000 : random.chance(0.1) ? random.pick([9_000, 11_000]) : (amount ?? 10_000);
  return {
    ...(random.chance(0.9) ? { execCode: isPartial ? '0004' : CODES[result] } : {}),
    ...(random.chance(0.9) ? { transactionId: random.chance(0.95) ? `T-${id}` : `T-other-${id}` } : {}),
    ...(random.chance(isPartial ? 0.7 : 0.5) ? { amount: said } : {}),
    ...(result === 'redirect_required' ? { redirectHtml: 'PGh0bWw+' } : {}),
  };
}

function outcome(random: Seeded, command: Command, attempt: number, token: string): Bare {
  const result = resultOf(random, command);
  const isPartial = result === 'succeeded' && random.chance(0.1);
  const answer = answerOf(random, command, result, isPartial);
  return {
    record: 'OUTCOME',
    commandId: command.id,
    attempt,
    token,
    result,
    ...(isPartial ? { partial: true } : {}),
    answer,
  };
}

/** The answer; for a pending one, often also an expiry after 6 days without a report, and then a report. */
function answered(random: Seeded, command: Command, attempt: number, token: string): Bare[] {
  const answer = outcome(random, command, attempt, token);
  if (answer.result !== 'pending' || random.chance(0.5)) return [answer];
  const expired: Bare = { record: 'EXPIRED', commandId: command.id, attempt };
  return [answer, expired, ...(random.chance(0.6) ? [evidence(random, command, attempt)] : [])];
}

function evidence(random: Seeded, command: Command, attempt: number): Bare {
  const result: Result = random.chance(0.15)
    ? random.pick(['not_executed', 'in_doubt', 'refused'])
    : resultOf(random, command);
  const isPartial = result === 'succeeded' && random.chance(0.1);
  const { redirectHtml: _page, ...answer } = answerOf(random, command, result, isPartial);
  const isTagged = command.isTagged && random.chance(0.9);
  const isUnknownType = random.chance(0.03);
  const references =
    command.kind === 'refund' && random.chance(0.5) ? { externalEntityId: '12', externalReference: '000000007' } : {};
  return {
    ...{
      record: 'EVIDENCE',
      source: random.pick(['notification', 'notification', 'look-up']),
      result,
      answer,
      ...references,
    },
    ...(isUnknownType ? { operationType: 'credit' } : { operation: command.kind }),
    ...(isTagged ? { tag: { operation: tagOf(command.id), attempt: random.chance(0.9) ? attempt : 1 } } : {}),
    ...(isPartial ? { partial: true } : {}),
    ...(result === 'refused' && random.chance(0.3) ? { mayBeDone: true } : {}),
  };
}

function operator(random: Seeded, command: Command, attempt: number): Bare {
  const result = random.pick(['succeeded', 'refused', 'not_executed'] as const);
  const answer = result === 'not_executed' ? {} : { transactionId: `T-${command.id}` };
  return {
    ...{
      record: 'EVIDENCE',
      source: 'operator',
      operation: command.kind,
      result,
      answer,
      commandId: command.id,
      attempt,
    },
    ...{ actor: 'alice', reason: 'seen in the back office' },
  };
}

/** Makes tags as in EXTRADATA. A copy of the code, so that a seed's log does not change with it. */
const tagOf = (commandId: string): string => createHash('sha256').update(commandId).digest('base64url').slice(0, 12);

/** Damages the log as networks, retries and killed processes do: records are missing, duplicated or late. */
function spoilt(random: Seeded, records: Bare[]): Bare[] {
  const isCalm = random.chance(0.3);
  if (isCalm) return records;
  const left = records
    .filter(() => !random.chance(0.08))
    .flatMap((record) => (random.chance(0.08) ? [record, record] : [record]));
  for (let moves = random.below(4); moves > 0 && left.length > 1; moves--) {
    const [moved] = left.splice(random.below(left.length), 1);
    left.splice(random.below(left.length + 1), 0, moved!);
  }
  return left.length > 0 ? left : records;
}
