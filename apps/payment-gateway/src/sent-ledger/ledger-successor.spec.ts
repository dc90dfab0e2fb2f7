import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  emptyOrder,
  fold,
  identityLine,
  LedgerSuccessor,
  madeLine,
  sentLine,
  type JournalRecord,
  type MadeToken,
  type OrderState,
} from '@tranche/order-journal';
import { silentLog } from '@tranche/runtime';
import { ledgerFolder, ledgerPath, lockPath } from './ledger-folder.js';
import { lockFile } from './ledger-lock.js';

const identity = { topicPrefix: '', clusterId: 'cluster-1', bootId: 'boot-1' };
const AT = '2026-03-01T10:00:00.000Z';
const made: MadeToken = { token: 't1', merchant: 'shop-fr', orderId: 'order-1', commandId: 'c1', attempt: 1 };
const operation = { rulesVersion: 1, merchant: 'shop-fr', orderId: 'order-1', at: AT, commandId: 'c1', attempt: 1 };
const terms = { operation: 'authorize', method: 'A', currency: 'EUR', contentHash: 'h', amount: 100 } as const;
const intent: JournalRecord = { record: 'INTENT', ...operation, token: 't1', ...terms };
const inDoubt: JournalRecord = { record: 'IN_DOUBT', ...operation, token: 't1', reason: 'owner_lost', message: '' };
const refused: JournalRecord = {
  ...{ record: 'OUTCOME', ...operation, token: 't1' },
  ...{ result: 'refused', answer: { execCode: '4001', transactionId: 'T1' } },
};

let folder: string;
let holder: ChildProcess | undefined;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'tranche-ledgers-'))));
afterEach(() => {
  if (holder?.exitCode === null && holder.signalCode === null) process.kill(-holder.pid!, 'SIGKILL');
  holder = undefined;
  rmSync(folder, { recursive: true });
});

function successor(history: JournalRecord[], nowMs = 10_000) {
  const appended: JournalRecord[] = [];
  let order: OrderState = emptyOrder('shop-fr', 'order-1');
  let offset = 0n;
  const take = (record: JournalRecord) => (order = fold(order, record, offset++).order);
  history.forEach(take);
  const journal = {
    read: () => Promise.resolve(order),
    appendWithRetry: (record: JournalRecord) => {
      appended.push(record);
      return Promise.resolve(take(record));
    },
  };
  const clock = { nowMs };
  const taking = new LedgerSuccessor({
    ...{ folder: ledgerFolder(folder), ownId: 'own', identity, journal, log: silentLog, nowMs: () => Date.parse(AT) },
    readClocks: () => ({ monotonicMs: clock.nowMs, wallMs: clock.nowMs }),
  });
  return { taking, appended, journal, clock, order: () => order };
}

/** Writes the ledger of a process that has ended. */
function left(lines = identityLine(identity) + madeLine(made, { monotonicMs: 0, wallMs: 0 }), id = 'before'): void {
  writeFileSync(lockPath(folder, id), '');
  writeFileSync(ledgerPath(folder, id), lines);
}

it.each([
  ['is open', [intent]],
  ['is in doubt already', [intent, inDoubt]],
])('writes NOT_EXECUTED for an attempt that was made and never sent and %s', async (_what, history) => {
  left();
  const { taking, appended, order } = successor(history);
  await taking.poll();
  expect(appended).toEqual([expect.objectContaining({ record: 'NOT_EXECUTED', token: 't1', attempt: 1 })]);
  expect(order().operations[0]).toMatchObject(
    history.length === 1 ? { phase: 'idle', attempt: 2 } : { phase: 'ended' },
  );
  expect(readdirSync(folder)).toEqual([]);
});

it.each<[string, JournalRecord[]]>([
  ['has no INTENT in the journal', []],
  ['has ended', [intent, refused]],
  ['stands with another token', [{ ...intent, token: 't2' }]],
])('writes nothing for an attempt that %s', async (_what, history) => {
  left();
  const { taking, appended } = successor(history);
  await taking.poll();
  expect([appended, readdirSync(folder)]).toEqual([[], []]);
});

it('writes nothing for an attempt that may have been sent', async () => {
  const sent = sentLine('t1', { monotonicMs: 5, wallMs: 5 });
  left(identityLine(identity) + madeLine(made, { monotonicMs: 0, wallMs: 0 }) + sent);
  const { taking, appended } = successor([intent]);
  await taking.poll();
  expect([appended, readdirSync(folder)]).toEqual([[], []]);
});

it('waits with the lock in hand until the last token can not be sent any more', async () => {
  left();
  const { taking, appended, clock } = successor([intent], 2_999);
  await taking.poll();
  expect(appended).toEqual([]);
  expect(await lockFile(lockPath(folder, 'before'))).toBeUndefined();
  clock.nowMs = 3_000;
  await taking.poll();
  expect(appended).toHaveLength(1);
});

it('keeps the lines until the end was read back', async () => {
  left();
  const { taking, appended, journal } = successor([intent]);
  const { appendWithRetry } = journal;
  journal.appendWithRetry = () => Promise.reject(new Error('Kafka is away'));
  await expect(taking.poll()).rejects.toThrow('Kafka is away');
  expect(existsSync(ledgerPath(folder, 'before'))).toBe(true);
  journal.appendWithRetry = appendWithRetry;
  await taking.poll();
  expect([appended.length, readdirSync(folder)]).toEqual([1, []]);
});

it('leaves the ledger of another Kafka, and its lock, to whom it belongs', async () => {
  left(identityLine({ ...identity, clusterId: 'cluster-2' }) + madeLine(made, { monotonicMs: 0, wallMs: 0 }));
  const { taking, appended } = successor([intent]);
  await taking.poll();
  expect([appended, readdirSync(folder).length]).toEqual([[], 2]);
  expect(await lockFile(lockPath(folder, 'before'))).toBeDefined();
});

it('leaves a running process’s ledger alone, and takes it over once that was killed', async () => {
  left();
  holder = spawn('flock', [lockPath(folder, 'before'), 'sh', '-c', 'echo held; exec sleep 600'], { detached: true });
  await once(holder.stdout!, 'data');
  const { taking, appended } = successor([intent]);
  await taking.poll();
  expect([appended, readdirSync(folder).length]).toEqual([[], 2]);
  const ended = once(holder, 'close');
  process.kill(-holder.pid!, 'SIGKILL');
  await ended;
  await taking.poll();
  expect([appended.length, readdirSync(folder)]).toEqual([1, []]);
});

it('removes a lock without a ledger', async () => {
  writeFileSync(lockPath(folder, 'empty'), '');
  await successor([]).taking.poll();
  expect(readdirSync(folder)).toEqual([]);
});
