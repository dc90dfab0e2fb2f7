import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeRecord, emptyOrder, encodeRecord, fold, isEmptyOrder, RULES_VERSIONS } from '../src/index.js';
import { historyLog } from './rules-lock/history-log.js';
import { keptLog } from './rules-lock/kept-log.js';
import { randomLog, type Log } from './rules-lock/random-log.js';
import { waitingLog } from './rules-lock/waiting-log.js';

/** Verdicts and events of seeded logs, as they were when a rules version was added. rules-lock/README.md says how files are added. */
const LOGS = 10_000;
const PER_DIGEST = 100;
/** Files are only ever added: their versions' seeds must not meet. */
const firstSeed = (version: number): number => version * 1_000_000;
const fileOf = (version: number): string => join(__dirname, `rules-lock/digests-${version}.json`);

/** `npm test` draws every twelfth digest, `npm run test:all` every fourth, others for each `SIMULATED_SEED`; all with `RULES_LOCK=all`. */
const EVERY = process.env.RULES_LOCK === 'all' ? 1 : process.env.NIGHTLY ? 4 : 12;
const isDrawn = (at: number): boolean => at % EVERY === Number(process.env.SIMULATED_SEED ?? 1) % EVERY;

it.each(RULES_VERSIONS)(`rules version %i: ${LOGS} logs bring the same verdicts and events for ever`, (version) => {
  const file = fileOf(version);
  if (!existsSync(file)) {
    if (process.env.WRITE_RULES_LOCK !== '1') throw new Error(`${file} is missing: ${RECIPE}`);
    writeFileSync(
      file,
      `${JSON.stringify(
        Array.from({ length: LOGS / PER_DIGEST }, (_, at) => digestOf(version, at)),
        null,
        2,
      )}\n`,
    );
  }
  const locked = JSON.parse(readFileSync(file, 'utf8')) as string[];
  expect(locked).toHaveLength(LOGS / PER_DIGEST);
  const changed = locked.flatMap((digest, at) =>
    !isDrawn(at) || digestOf(version, at) === digest ? [] : [firstSeed(version) + at * PER_DIGEST],
  );
  if (changed.length > 0) throw new Error(changedFold(version, changed));
});

const RECIPE = 'add a version: CONTRIBUTING.md, "Recipe: a rule of the fold"';

function changedFold(version: number, seeds: readonly number[]): string {
  const among = `${seeds.length} of ${LOGS / PER_DIGEST} digests, the first one of seeds ${seeds[0]} to ${seeds[0]! + PER_DIGEST - 1}`;
  return `The fold changed and no version was added: ${RECIPE}.
Journals of rules version ${version} bring other verdicts or events than when it was locked (${among}).
Releases side by side would judge one journal in two ways. Never write the digests anew.`;
}

function digestOf(version: number, at: number): string {
  const hash = createHash('sha256');
  for (let n = 0; n < PER_DIGEST; n++) hash.update(told(logOf(firstSeed(version) + at * PER_DIGEST + n, version)));
  return hash.digest('base64url').slice(0, 16);
}

/**
 * Of version 3 they carry over and forget; from version 4 on every other log is one of payments that wait, from 5 on a third
 * carry over, forget and repeat. From 6 on every fourth is one of many attempts, or of payments that only our timer ended. */
function logOf(seed: number, version: number): Log {
  if (version >= 6 && seed % 4 === 0) return keptLog(seed, version);
  if (version === 3 || (version >= 5 && seed % 3 === 1)) return historyLog(seed, version);
  return version >= 4 && seed % 2 === 1 ? waitingLog(seed, version) : randomLog(seed, version);
}

/** Verdicts and events of a log; the names of a body in the order of the alphabet. */
function told(log: Log): string {
  let order = emptyOrder('shop-fr', 'o');
  const lines: string[] = [];
  for (const [offset, written] of log) {
    const before = order.verdicts.length;
    const { order: next, effects } = fold(order, decodeRecord(encodeRecord(written)), offset);
    order = next;
    for (const verdict of order.verdicts.slice(before)) lines.push(verdict.join(' '));
    for (const { event, isRepeat = false } of effects) lines.push(JSON.stringify(sorted({ ...event, isRepeat })));
  }
  return `${lines.join('\n')}\n\n`;
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted((value as Record<string, unknown>)[name])]));
}

it('mixes versions within a log, and meets every verdict and most events', () => {
  const logs = Array.from({ length: 800 }, (_, n) => randomLog(firstSeed(2) + n, 2));
  const mixed = logs.filter((log) => new Set(log.map(([, { rulesVersion }]) => rulesVersion)).size > 1);
  expect(mixed.length).toBeGreaterThan(240);
  const text = logs.map(told).join('');
  const meant = [
    ...['granted', 'busy', 'rejected', 'lost'].map((verdict) => ` ${verdict}\n`),
    ...['succeeded', 'refused', 'rejected', 'in_doubt', 'doubt_resolved', 'redirect_required'].map(
      (type) => `.${type}"`,
    ),
    ...['pending', 'expired', 'external', 'closing', 'detected'].map((type) => `.${type}"`),
    ...['never_granted', 'other_amount', 'two_payments_succeeded', 'was_expired', 'was_refused'].map(
      (flag) => `"${flag}"`,
    ),
    ...['said_other_transaction', 'references_added'].map((flag) => `"${flag}"`),
    ...['not_a_capture', 'not_an_authorization', 'refund_exceeds_remaining', 'authorization_live'].map(
      (code) => `"${code}"`,
    ),
    ...['already_captured', 'already_voided', 'order_in_doubt', 'capture_not_succeeded'].map((code) => `"${code}"`),
  ];
  expect(meant.filter((words) => !text.includes(words))).toEqual([]);
});

it('logs of version 3 carry over and forget, with effect and without', () => {
  const seen = { carried: 0, void: 0, first: 0, forgotten: 0, kept: 0 };
  for (let n = 0; n < 800; n++) {
    let order = emptyOrder('shop-fr', 'o');
    for (const [offset, record] of historyLog(firstSeed(3) + n)) {
      const before = order;
      order = fold(order, record, offset).order;
      if (record.record === 'CARRIED') {
        const isCarried =
          order.carriedAt === record.at && order.history?.split('.')[0] === order.history?.split('.')[2];
        seen[!isCarried ? 'void' : isEmptyOrder(before) ? 'first' : 'carried']++;
      }
      if (record.record === 'FORGOTTEN' && !isEmptyOrder(before)) seen[isEmptyOrder(order) ? 'forgotten' : 'kept']++;
    }
  }
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(30);
});

it('of payments that wait meets what version 4 brought', () => {
  const logs = Array.from({ length: 800 }, (_, n) => waitingLog(firstSeed(4) + n, 4));
  const text = logs.map(told).join('');
  const meant = [
    ...['.expired"', '.doubt_resolved"', '.redirect_required"', '"said_not_executed"', '"superseded"', '"card_added"'],
    ...['"other_currency"', '"unknown_language"', '"two_payments_succeeded"'],
    ...['"origin":"operator"', '"origin":"look-up"', '"authorization_live"', '"order_in_doubt"'],
  ];
  expect(meant.filter((words) => !text.includes(words))).toEqual([]);
});

it('of what version 6 keeps they have old attempts that are heard of, and orders that are kept and forgotten', () => {
  const seen = { many: 0, late: 0, kept: 0, forgotten: 0, refused: 0 };
  for (let n = 0; n < 500; n++) {
    let order = emptyOrder('shop-fr', 'o');
    for (const [offset, record] of keptLog(firstSeed(6) + n, 6)) {
      const [before, verdicts] = [order, order.verdicts.length];
      const folded = fold(order, decodeRecord(encodeRecord(record)), offset);
      order = folded.order;
      const isLive = before.operations.some(({ mayYetSucceed }) => mayYetSucceed);
      const [first] = order.operations;
      if (first && first.attempt > first.attempts.length + 1) seen.many++;
      if (first && record.record === 'OUTCOME' && record.attempt < 10 && folded.effects.length > 0) seen.late++;
      if (record.record === 'FORGOTTEN' && isLive) seen[order.lastOffset === '-1' ? 'forgotten' : 'kept']++;
      if (isLive && before.operations.length === 1 && order.verdicts[verdicts]?.[1] === 'rejected') seen.refused++;
    }
  }
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(15);
});
