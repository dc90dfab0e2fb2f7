import { markerText, wholeMarker } from './index-format.js';

const marker = { offset: 7n, generation: 'g' };

it.each([
  ['with the hash of its record', { ...marker, hash: 'h' }],
  ['without', marker],
])('reads a marker %s as it was written', (_what, given) =>
  expect(wholeMarker(markerText(given, '2:1:0:1'), '2:1:0:1')).toEqual(given),
);

it.each(['1:1:0:1', '2:0:0:1', '2:1:1:1', '2:1:0:0', '3:1:0:1'])(
  'is no marker of an index that holds %s instead of 2:1:0:1',
  (found) => expect(wholeMarker(markerText(marker, '2:1:0:1'), found)).toBeUndefined(),
);

it.each([null, undefined, '', '7', '7 g', '7 g h'])('takes %p for no marker', (stored) =>
  expect(wholeMarker(stored, '0:0:0:0')).toBeUndefined(),
);
