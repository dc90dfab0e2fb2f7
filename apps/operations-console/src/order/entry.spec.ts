import { labelOf, laneOf, sentenceOf, type Entry } from './entry.js';

const lookedUp = (result: string) =>
  ({ topic: 'payments.journal.v1', body: { record: 'LOOKED_UP', result } }) as unknown as Entry;

it.each([
  ['evidence', 'asked: its list has the operation'],
  ['nothing', 'asked: its list does not have the operation'],
  ['unauthorized', 'asked: it did not accept our token'],
])('a look-up with %s is a report of the platform', (result, label) => {
  expect(laneOf(lookedUp(result))).toBe('reports');
  expect(labelOf(lookedUp(result))).toBe(label);
  expect(sentenceOf(lookedUp(result))).toBe(label.replace('asked', 'The platform was asked about the operation'));
});
