import { intent, inOrder } from '../../test/journal-records.js';
import { OneOwner } from '../../test/one-owner.js';
import type * as foldOfRecords from '../state/fold.js';
import { fold } from '../state/fold.js';
import type { Intent, JournalRecord } from '../state/records.js';
import type * as versions from '../state/versions.js';
import { decodeRecord } from '../state/versions.js';

jest.mock('../state/fold.js', () => {
  const actual = jest.requireActual<typeof foldOfRecords>('../state/fold.js');
  return { ...actual, fold: jest.fn(actual.fold) };
});
jest.mock('../state/versions.js', () => {
  const actual = jest.requireActual<typeof versions>('../state/versions.js');
  return { ...actual, decodeRecord: jest.fn(actual.decodeRecord) };
});

const granted = intent as Intent;
const outcome: JournalRecord = {
  ...{ record: 'OUTCOME', ...inOrder, commandId: 'a', attempt: 1, token: 't', result: 'refused', answer: {} },
};

const work = () => [jest.mocked(decodeRecord).mock.calls.length, jest.mocked(fold).mock.calls.length];
beforeEach(() => {
  jest.mocked(decodeRecord).mockClear();
  jest.mocked(fold).mockClear();
});

it('decodes and folds each record of a command once: for the executor, the events and the index together', async () => {
  const one = await new OneOwner().settled();
  await one.journal.read('shop-fr', 'o');
  await one.journal.appendIntent(granted);
  const order = await one.journal.appendAndRead(outcome);
  await one.settled();
  expect(order.operations.map(({ end }) => end)).toEqual(['refused']);
  expect([one.published.length, one.index.marker]).toEqual([1, 1n]);
  expect(work()).toEqual([2, 2]);
});

it('decodes and folds each record once that another instance appended, which nobody here waits for', async () => {
  const one = await new OneOwner({ records: [granted, outcome] }).settled();
  expect([one.published.length, one.index.marker]).toEqual([1, 1n]);
  expect(work()).toEqual([2, 2]);
});
