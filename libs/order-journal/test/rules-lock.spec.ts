import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeRecord, emptyOrder, encodeRecord, fold, isEmptyOrder, RULES } from '../src/index.js';
import { historyLog } from './rules-lock/history-log.js';
import { keptLog } from './rules-lock/kept-log.js';
import { randomLog, type Log } from './rules-lock/random-log.js';
import { settledLog } from './rules-lock/settled-log.js';
import { statementLog } from './rules-lock/statement-log.js';
import { waitingLog } from './rules-lock/waiting-log.js';

/** Verdicts and events of seeded logs, as they were when a rules version was added. rules-lock/README.md explains how files are added. */
const LOGS = 10_000;
const PER_DIGEST = 100;
/** Files are only ever added, so the seeds of two versions must not overlap. */
const firstSeed = (version: number): number => version * 1_000_000;
const fileOf = (version: number, name = 'digests'): string => join(__dirname, `rules-lock/${name}-${version}.json`);

/** `npm test` checks every 25th digest, `npm run test:all` every fourth, other ones for each `SIMULATED_SEED`; `RULES_LOCK=all` checks all. */
const EVERY = process.env.RULES_LOCK === 'all' ? 1 : process.env.NIGHTLY ? 4 : 25;
const isDrawn = (at: number): boolean => at % EVERY === Number(process.env.SIMULATED_SEED ?? 1) % EVERY;

it.each(RULES.versions)(`rules version %i: ${LOGS} logs bring the same verdicts and events for ever`, (version) => {
  const changed = changedIn(fileOf(version), LOGS, (at) => digestOf(version, at));
  if (changed.length > 0)
    throw new Error(
      changedFold(
        version,
        changed.map((at) => firstSeed(version) + at * PER_DIGEST),
      ),
    );
});

/** Version 2 was locked before it had settlements. */
it('rules version 2: 2000 logs with settlements bring the same verdicts and events for ever', () => {
  const changed = changedIn(fileOf(2, 'settled'), 2_000, (at) => digestOf(2, at, settledLog));
  if (changed.length > 0)
    throw new Error(
      changedFold(
        2,
        changed.map((at) => firstSeed(2) + at * PER_DIGEST),
      ),
    );
});

/** Numbers of the digests in the file that are others now. */
function changedIn(file: string, logs: number, digest: (at: number) => string): number[] {
  if (!existsSync(file)) {
    if (process.env.WRITE_RULES_LOCK !== '1') throw new Error(`${file} is missing: ${RECIPE}`);
    const digests = Array.from({ length: logs / PER_DIGEST }, (_, at) => digest(at));
    writeFileSync(file, `${JSON.stringify(digests, null, 2)}\n`);
  }
  const locked = JSON.parse(readFileSync(file, 'utf8')) as string[];
  expect(locked).toHaveLength(logs / PER_DIGEST);
  return locked.flatMap((known, at) => (!isDrawn(at) || digest(at) === known ? [] : [at]));
}

const RECIPE = 'add a version: CONTRIBUTING.md, "Recipe: a rule of the fold"';

function changedFold(version: number, seeds: readonly number[]): string {
  const among = `${seeds.length} of ${LOGS / PER_DIGEST} digests, the first one of seeds ${seeds[0]} to ${seeds[0]! + PER_DIGEST - 1}`;
  return `The fold changed and no version was added: ${RECIPE}.
Journals of rules version ${version} bring other verdicts or events than when it was locked (${among}).
Releases side by side would judge one journal in two ways. Never write the digests anew.`;
}

function digestOf(version: number, at: number, drawn = (seed: number) => logOf(version, seed)): string {
  const hash = createHash('sha256');
  for (let n = 0; n < PER_DIGEST; n++) hash.update(published(drawn(firstSeed(version) + at * PER_DIGEST + n)));
  return hash.digest('base64url').slice(0, 16);
}

/**
 * A quarter each: attempts and orders that are kept, histories with snapshots, payments that wait, and everything else; from version 2 on, a fifth has
 * statements of people that name what they saw.
 */
function logOf(version: number, seed: number): Log {
  const among = [keptLog, historyLog, waitingLog, randomLog, ...(version > 1 ? [statementLog] : [])];
  const log = among[seed % among.length]!(seed);
  return version === 1 ? log : log.map(([offset, record]) => [offset, { ...record, rulesVersion: version }] as const);
}

/** Verdicts and events of a log; property names in alphabetical order. */
function published(log: Log): string {
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

it('meets every verdict and most events', () => {
  const logs = Array.from({ length: 800 }, (_, n) => randomLog(firstSeed(2) + n));
  const text = logs.map(published).join('');
  const meant = [
    ...['granted', 'busy', 'rejected', 'lost'].map((verdict) => ` ${verdict}\n`),
    ...['succeeded', 'refused', 'rejected', 'in_doubt', 'doubt_resolved', 'redirect_required'].map(
      (type) => `.${type}"`,
    ),
    ...['pending', 'external', 'closing', 'detected'].map((type) => `.${type}"`),
    ...['never_granted', 'other_amount', 'two_payments_succeeded', 'was_refused'].map((flag) => `"${flag}"`),
    ...['said_other_transaction', 'references_added'].map((flag) => `"${flag}"`),
    ...['not_a_capture', 'not_an_authorization', 'refund_exceeds_remaining', 'authorization_live'].map(
      (code) => `"${code}"`,
    ),
    ...['already_captured', 'already_voided', 'order_in_doubt', 'capture_not_succeeded'].map((code) => `"${code}"`),
  ];
  expect(meant.filter((words) => !text.includes(words))).toEqual([]);
});

it('logs of histories carry over and forget, with effect and without', () => {
  const seen = { carried: 0, void: 0, first: 0, forgotten: 0, kept: 0 };
  for (let n = 0; n < 800; n++) {
    let order = emptyOrder('shop-fr', 'o');
    for (const [offset, record] of historyLog(firstSeed(3) + n)) {
      const before = order;
      order = fold(order, record, offset).order;
      if (record.record === 'SNAPSHOT') {
        const isCarried =
          order.snapshotAt === record.at && order.history?.split('.')[0] === order.history?.split('.')[2];
        seen[!isCarried ? 'void' : isEmptyOrder(before) ? 'first' : 'carried']++;
      }
      if (record.record === 'TOMBSTONE' && !isEmptyOrder(before)) seen[isEmptyOrder(order) ? 'forgotten' : 'kept']++;
    }
  }
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(30);
});

it('payments that wait are expired, resolved, superseded and contradicted', () => {
  const logs = Array.from({ length: 800 }, (_, n) => waitingLog(firstSeed(4) + n));
  const text = logs.map(published).join('');
  const meant = [
    ...['.expired"', '.doubt_resolved"', '.redirect_required"', '"said_not_executed"', '"superseded"', '"card_added"'],
    ...['"other_currency"', '"unknown_language"', '"two_payments_succeeded"'],
    ...['"origin":"operator"', '"origin":"look-up"', '"authorization_live"', '"order_in_doubt"'],
  ];
  expect(meant.filter((words) => !text.includes(words))).toEqual([]);
});

it('old attempts are heard of, and orders whose payment may yet succeed are kept and forgotten', () => {
  const seen = { many: 0, late: 0, kept: 0, forgotten: 0, refused: 0 };
  for (let n = 0; n < 500; n++) {
    let order = emptyOrder('shop-fr', 'o');
    for (const [offset, record] of keptLog(firstSeed(6) + n)) {
      const [before, verdicts] = [order, order.verdicts.length];
      const folded = fold(order, decodeRecord(encodeRecord(record)), offset);
      order = folded.order;
      const isLive = before.operations.some(({ mayYetSucceed }) => mayYetSucceed);
      const [first] = order.operations;
      if (first && first.attempt > first.attempts.length + 1) seen.many++;
      if (first && record.record === 'OUTCOME' && record.attempt < 10 && folded.effects.length > 0) seen.late++;
      if (record.record === 'TOMBSTONE' && isLive) seen[order.lastOffset === '-1' ? 'forgotten' : 'kept']++;
      if (isLive && before.operations.length === 1 && order.verdicts[verdicts]?.[1] === 'rejected') seen.refused++;
    }
  }
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(15);
});

it('statements of people count, are void and have no effect', () => {
  const seen = { counted: 0, stale: 0, no_effect: 0 };
  for (let n = 0; n < 800; n++) {
    let order = emptyOrder('shop-fr', 'o');
    for (const [offset, record] of statementLog(firstSeed(8) + n)) order = fold(order, record, offset).order;
    for (const { verdict } of order.operations.flatMap(({ statements = [] }) => statements)) seen[verdict]++;
  }
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(20);
});

it('settlements count, are void and have no effect', () => {
  const seen: Record<string, number> = { counted: 0, stale: 0, no_effect: 0, amount: 0, one_person: 0 };
  for (let n = 0; n < 800; n++) {
    let order = emptyOrder('shop-fr', 'o');
    for (const [offset, record] of settledLog(firstSeed(9) + n)) order = fold(order, record, offset).order;
    for (const { verdict, found } of order.settlements ?? [])
      for (const name of [verdict, found ?? verdict]) if (seen[name] !== undefined) seen[name]++;
  }
  expect(Object.entries(seen).filter(([, count]) => count < 10)).toEqual([]);
});
