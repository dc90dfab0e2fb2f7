import type { Random } from '../simulation/random.js';
import { toNewRecord } from './names.js';
import type { Json, Sides } from './sides.js';
import { withoutUndefined, type Draft, type Step, type Story } from './stories.js';

const DAY_MS = 86_400_000;
/** One EXECCODE of each class, and one that may mean "already done". */
const EXECCODES = ['0000', '0001', '0002', '0003', '0004', '4001', '2016', '2006', '5004', '9999'];
const KINDS = ['authorize', 'pay', 'capture', 'void', 'refund'];
const FORMS = ['A', 'B'];

/** Applies one to five changes to the story, as if other things had happened. Histories that writers saw are taken from the changed story. */
export function changed(story: Story, random: Random, sides: Sides): Story {
  const drafts = [...story.drafts];
  for (let left = 1 + random.below(5); left > 0; left--) change(drafts, story, random, sides);
  return { ...story, drafts };
}

function change(drafts: Draft[], story: Story, random: Random, sides: Sides): void {
  const at = random.below(drafts.length + 1);
  const put = (record: Json, sees: Partial<Draft> = {}, place = at) => {
    const old = withoutUndefined({ ...headOf(drafts, place, story, random, sides), ...record });
    const next = { ...toNewRecord(old), rulesVersion: sides.next.RULES_VERSIONS.at(-1) };
    drafts.splice(place, 0, { old, next, ...sees });
  };
  const sees = { seenBack: random.chance(0.8) ? 0 : 1 + random.below(2) };
  switch (
    random.weighted({
      evidence: 8,
      operator: 3,
      intent: 4,
      answer: 3,
      retries: 2,
      time: 3,
      snapshot: 4,
      tombstone: 2,
      leave: 1,
      swap: 1,
    })
  ) {
    case 'evidence':
      return put(evidence(drafts, random, sides));
    case 'operator':
      return put(operators(drafts, random));
    case 'intent': {
      const asked = intent(drafts, random, sides);
      put(asked, random.chance(0.3) ? sees : {});
      return random.chance(0.7) ? put(answer(drafts, asked, random), {}, at + 1) : undefined;
    }
    case 'answer':
      return put(answer(drafts, someIntent(drafts, random), random));
    case 'retries':
      return retries(drafts, random, sides).forEach((record, place) => put(record, {}, place));
    case 'time':
      return put(byTime(drafts, random));
    case 'snapshot':
      return put({ record: 'CARRIED' }, random.chance(0.03) ? { ...sees, stateBack: sees.seenBack + 1 } : sees);
    case 'tombstone':
      return put(
        {
          ...{ record: 'FORGOTTEN', lastOffset: String(at - 1), refundableDays: random.pick([400, 35, undefined]) },
          ...(random.chance(0.5) ? { at: '2029-01-01T00:00:00.000Z' } : {}),
        },
        sees,
      );
    case 'leave':
      return void (drafts.length > 1 && drafts.splice(Math.min(at, drafts.length - 1), 1));
    case 'swap':
      return swap(drafts, at);
  }
}

function headOf(
  drafts: readonly Draft[],
  at: number,
  { merchant, orderId }: Story,
  random: Random,
  { old }: Sides,
): Json {
  const near = String((drafts[at - 1] ?? drafts[0])?.old.at);
  const laterMs = random.pick([0, 0, 0, 1_000, 1_000, 20 * 60_000, DAY_MS, 8 * DAY_MS, 40 * DAY_MS, 500 * DAY_MS]);
  const time = new Date((Date.parse(near) || 0) + laterMs).toISOString();
  return { rulesVersion: old.RULES_VERSIONS.at(-1), merchant, orderId, at: time };
}

/** An INTENT of the story that a new record refers to. */
const someIntent = (drafts: readonly Draft[], random: Random): Json | undefined =>
  random.pick([...drafts.map(({ old }) => old).filter(({ record }) => record === 'INTENT'), undefined]);

const transactionIds = (drafts: readonly Draft[]): unknown[] =>
  drafts.flatMap(({ old }) => (old.answer as Json | undefined)?.transactionId ?? []);

const amountOf = (about: Json | undefined, random: Random): unknown =>
  random.pick([
    about?.amount,
    about?.amount,
    undefined,
    1,
    Number(about?.amount ?? 500) - 1,
    Number(about?.amount ?? 500) * 2,
  ]);

function evidence(drafts: readonly Draft[], random: Random, { old }: Sides): Json {
  const about = someIntent(drafts, random);
  const execCode = random.pick(EXECCODES);
  const tag = {
    operation: old.operationTag((about?.commandId as string) ?? 'of another'),
    attempt: about?.attempt ?? 1,
  };
  const isOurs = random.chance(0.85);
  return {
    record: 'EVIDENCE',
    source: random.chance(0.7) ? 'notification' : 'look-up',
    operation: isOurs ? (random.chance(0.8) && about?.operation) || random.pick(KINDS) : undefined,
    operationType: isOurs ? undefined : 'something',
    result: old.evidenceResult(execCode),
    ...old.execCodeNotes(execCode),
    answer: {
      execCode,
      message: random.pick(['a message', undefined]),
      transactionId: random.pick([...transactionIds(drafts), `T-new-${random.below(5)}`, undefined]),
      amount: amountOf(about, random),
    },
    tag: random.chance(0.5) ? tag : undefined,
    currency: random.pick([undefined, about?.currency, 'USD']),
    extraData: random.pick([undefined, undefined, 'theirs']),
    maskedCard: random.pick([undefined, undefined, '497010XXXXXX0001']),
    externalReference: random.pick([undefined, undefined, 'a reference']),
    flags: random.pick([undefined, undefined, ['hash_missing']]),
  };
}

function operators(drafts: readonly Draft[], random: Random): Json {
  const about = someIntent(drafts, random);
  return {
    record: 'EVIDENCE',
    source: 'operator',
    operation: about?.operation ?? 'capture',
    result: random.pick(['succeeded', 'refused', 'not_executed', 'not_executed']),
    answer: { transactionId: random.pick([...transactionIds(drafts), undefined]), amount: amountOf(about, random) },
    commandId: about?.commandId ?? 'nobody knows it',
    attempt: random.pick([about?.attempt ?? 1, undefined]),
    actor: 'an operator',
    reason: 'it was asked for',
  };
}

function intent(drafts: readonly Draft[], random: Random, { old }: Sides): Json {
  const about = someIntent(drafts, random);
  const isNext = about !== undefined && random.chance(0.4);
  const commandId = isNext ? String(about.commandId) : `more-${random.below(100)}`;
  const attempt = isNext ? Number(about.attempt) + random.below(2) : 1;
  return {
    ...about,
    record: 'INTENT',
    commandId,
    attempt,
    token: `${commandId}-${attempt}-${random.below(100)}`,
    operation: isNext ? about.operation : random.chance(0.5) && about ? about.operation : random.pick(KINDS),
    method: about?.method ?? random.pick(FORMS),
    currency: about?.currency ?? 'EUR',
    amount: amountOf(about, random),
    transactionId: isNext ? about.transactionId : random.pick([...transactionIds(drafts), undefined]),
    supersedes: isNext ? about.supersedes : random.pick([undefined, about?.commandId, about?.commandId]),
    supersedesDoubt: random.pick([undefined, true]),
    mayLookUp: random.pick([undefined, true]),
    contentHash: isNext ? about.contentHash : commandId,
    tag: random.chance(0.5) ? old.operationTag(commandId) : undefined,
    seen: undefined,
  };
}

/** An answer to an attempt, maybe to one that was never granted, or another answer than it had. */
function answer(drafts: readonly Draft[], about: Json | undefined, random: Random): Json {
  const token = about?.token !== undefined && random.chance(0.8) ? about.token : `never granted ${random.below(10)}`;
  const of = { commandId: about?.commandId ?? 'more-1', attempt: about?.attempt ?? 1, token };
  const said = {
    transactionId: random.pick([...transactionIds(drafts), `T-new-${random.below(5)}`, undefined]),
    amount: amountOf(about, random),
  };
  return random.pick<Json>([
    { record: 'OUTCOME', ...of, result: 'succeeded', answer: { execCode: '0000', ...said } },
    { record: 'OUTCOME', ...of, result: 'succeeded', partial: true, answer: { execCode: '0004', ...said } },
    { record: 'OUTCOME', ...of, result: 'redirect', answer: { execCode: '0002', redirectHtml: '<form>', ...said } },
    { record: 'OUTCOME', ...of, result: 'pending', answer: { execCode: '0003', ...said } },
    { record: 'OUTCOME', ...of, result: 'refused', answer: { execCode: '4001', message: 'no' } },
    { record: 'NOT_EXECUTED', ...of, reason: 'execcode', message: 'not now', execCode: '3004' },
    {
      record: 'NOT_EXECUTED',
      ...of,
      reason: random.pick(['unreachable', 'auth_refused', 'send_deadline']),
      message: 'no',
    },
    { record: 'IN_DOUBT', ...of, reason: random.pick(['timeout', 'owner_lost', 'execcode']), message: 'unclear' },
  ]);
}

/** Adds to the order's beginning an authorization without a tag that is tried twice, and evidence that may belong to either attempt. */
function retries(drafts: readonly Draft[], random: Random, sides: Sides): Json[] {
  const of = { ...UNKNOWN, commandId: 'tried-twice', tag: undefined, amount: 20_000 };
  const [first, second] = [1, 2].map((attempt) => ({ ...of, attempt, token: `tried-twice-${attempt}` }));
  const isSent = { record: 'NOT_EXECUTED', reason: 'execcode', message: 'not now', execCode: '5001' };
  return [
    { ...first, record: 'INTENT' },
    { ...first, ...isSent },
    { ...second, record: 'INTENT' },
    random.pick([
      { ...second, record: 'IN_DOUBT', reason: 'timeout', message: 'no answer' },
      { ...second, ...isSent },
      answer(drafts, second, random),
    ]),
    { ...evidence(drafts, random, sides), operation: 'authorize', tag: undefined, currency: undefined },
  ];
}

/** An INTENT of a command that no other record refers to. */
const UNKNOWN: Json = {
  ...{ commandId: 'more-1', attempt: 1, operation: 'authorize', method: 'A', currency: 'EUR' },
  contentHash: 'more-1',
};

function byTime(drafts: readonly Draft[], random: Random): Json {
  const { commandId, attempt, ...terms } = someIntent(drafts, random) ?? UNKNOWN;
  const of = { commandId, attempt: Number(attempt) + random.below(2) };
  const faults = [{ path: '', code: 'invalid', message: 'it is wrong' }];
  return random.pick<Json>([
    { record: 'EXPIRED', ...of },
    {
      record: 'REMINDED',
      ...of,
      reminder: random.pick(['capture_window', 'doubt_15_minutes', 'look_up_1_hour', 'look_up_not_executed']),
    },
    { record: 'REPEATED', commandId },
    { record: 'GIVEN_UP', ...of, code: 'unreachable', message: 'no more', retryAfterSeconds: 300 },
    { ...terms, record: 'REJECTED', token: undefined, tag: undefined, seen: undefined, ...of, faults },
    random.chance(0.2) ? { record: 'SKIPPED', hash: 'AAAAAAAAAAAA' } : { record: 'REPEATED', commandId },
  ]);
}

function swap<T>(list: T[], at: number): void {
  const [first, second] = [list[at], list[at + 1]];
  if (first === undefined || second === undefined) return;
  list[at] = second;
  list[at + 1] = first;
}

export const DAMAGES = ['late copies', 'swapped', 'left out', 'partial beginnings'] as const;
export type Damage = (typeof DAMAGES)[number];

/** Damages the journal as it may be damaged in Kafka, after its writers saw the whole one. */
export function damaged(whole: readonly Step[], random: Random): { steps: Step[]; damage: Damage } {
  const steps = [...whole];
  const at = random.below(steps.length);
  const damage = random.pick(DAMAGES);
  if (damage === 'late copies')
    for (let left = 1 + random.below(2); left > 0; left--) {
      const from = random.below(steps.length);
      steps.splice(from + 1 + random.below(steps.length - from), 0, steps[from]!);
    }
  if (damage === 'swapped') swap(steps, Math.max(0, at - 1));
  if (damage === 'left out' && steps.length > 1) steps.splice(at, 1);
  if (damage === 'partial beginnings') steps.splice(0, at);
  return { steps, damage };
}
