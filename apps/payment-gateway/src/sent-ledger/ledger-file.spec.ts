import { existsSync, mkdtempSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  LedgerFile,
  readLedger,
  SEND_DEADLINE_MS,
  type LedgerDisk,
  type LedgerFileOptions,
  type MadeToken,
} from '@tranche/order-journal';
import { ledgerDisk } from './ledger-folder.js';

const identity = { topicPrefix: '', clusterId: 'cluster-1', bootId: 'boot-1' };
const token = (name: string): MadeToken => ({
  ...{ token: name, merchant: 'shop-fr', orderId: `order-${name}`, commandId: `command-${name}`, attempt: 1 },
});
const noSpace = () => {
  throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
};

let folder: string;
let path: string;
let nowMs: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tranche-ledger-'));
  path = join(folder, 'one.ledger');
  nowMs = 1_000;
});
afterEach(() => rmSync(folder, { recursive: true }));

const ledger = ({
  write = ledgerDisk.write,
  remove = ledgerDisk.remove,
  ...options
}: Partial<LedgerFileOptions & LedgerDisk> = {}) =>
  new LedgerFile({
    ...{ path, identity, readClocks: () => ({ monotonicMs: nowMs, wallMs: nowMs }) },
    ...{ disk: { ...ledgerDisk, write, remove }, ...options },
  });
const tokensIn = () =>
  readLedger(readFileSync(path))?.entries.map(({ token: { token: name }, sent }) => (sent ? `${name} sent` : name));

it('holds made and sent tokens, each line by one write', () => {
  const writes: string[] = [];
  const file = ledger({ write: (fd, text) => (writes.push(text), writeSync(fd, text)) });
  file.made(token('a'));
  file.made(token('b'));
  expect(file.sent('a')).toBe(true);
  expect(tokensIn()).toEqual(['a sent', 'b']);
  expect(writes.map((text) => text.split('\n').length - 1)).toEqual([1, 1, 1, 1]);
});

it.each<[string, LedgerDisk['write']]>([
  ['fails', noSpace],
  ['is short', (fd, text) => writeSync(fd, text.slice(0, 9))],
])('sends nothing where the write of `sent` %s, and is removed, so that nobody concludes anything', (_what, write) => {
  const troubles: boolean[] = [];
  let isFull = false;
  const file = ledger({
    write: (fd, text) => (isFull ? write(fd, text) : writeSync(fd, text)),
    onTrouble: (_error, isRemoved) => troubles.push(isRemoved),
  });
  file.made(token('a'));
  file.made(token('b'));
  isFull = true;
  expect(file.sent('a')).toBe(false);
  expect([existsSync(path), file.state, troubles]).toEqual([false, 'removed', [true]]);
  // Without a ledger, the other calls are sent as if none were configured.
  expect(file.sent('b')).toBe(true);
});

it('sends nothing at all where it can neither be written nor removed', () => {
  let isFull = false;
  const file = ledger({ write: (fd, text) => (isFull ? noSpace() : writeSync(fd, text)), remove: noSpace });
  file.made(token('a'));
  file.made(token('b'));
  isFull = true;
  file.made(token('c'));
  expect([file.sent('a'), file.sent('b'), file.state]).toEqual([false, false, 'broken']);
});

it('removes the lines of an ended token together, and keeps both of one that has not ended', () => {
  const file = ledger({ compactAtBytes: 1_500 });
  file.made(token('kept'));
  file.sent('kept');
  file.made(token('never-sent'));
  for (let count = 0; count < 40; count++) {
    file.made(token(`t${count}`));
    file.sent(`t${count}`);
    file.ended(`t${count}`);
  }
  const left = tokensIn();
  expect(left?.slice(0, 2)).toEqual(['kept sent', 'never-sent']);
  expect(left!.length).toBeLessThan(12);
  // Later lines go to the new file.
  file.made(token('last'));
  file.sent('last');
  expect(tokensIn()?.at(-1)).toBe('last sent');
});

it('keeps writing to the old file where the new one can not be written', () => {
  const file = ledger({
    compactAtBytes: 1_000,
    write: (fd, text) => (text.split('\n').length > 2 ? noSpace() : writeSync(fd, text)),
  });
  for (let count = 0; count < 20; count++) {
    file.made(token(`t${count}`));
    expect(file.sent(`t${count}`)).toBe(true);
  }
  expect(tokensIn()).toHaveLength(20);
});

it('sends no token of which it does not know that it was made', () => {
  const file = ledger();
  file.made(token('a'));
  file.ended('a');
  expect([file.sent('a'), file.sent('b')]).toEqual([false, false]);
});

it('names its own tokens that were not sent and are too old to be', () => {
  const file = ledger();
  file.made(token('a'));
  file.made(token('b'));
  file.sent('b');
  nowMs += 10 * SEND_DEADLINE_MS;
  expect(file.neverSent).toEqual([]);
  nowMs += 1;
  expect(file.neverSent).toEqual([token('a')]);
});

it('is removed when it is closed empty, and stays with tokens that have no end; nothing is sent after it', () => {
  const empty = ledger();
  empty.made(token('a'));
  empty.ended('a');
  empty.close();
  expect(existsSync(path)).toBe(false);
  const file = ledger();
  file.made(token('b'));
  file.close();
  expect([tokensIn(), file.sent('b'), file.state]).toEqual([['b'], false, 'kept']);
});
