import { picture } from './picture.js';
import { row } from './report.js';

const at = (inFlight: number, ours: number, cpuMs: number) => [
  row({
    name: `latency-bound-${inFlight}`,
    unit: 'commands/s',
    ours,
    peers: { 'bare-loop': 1_000, 'parallel-consumer': 500 },
  }),
  row({
    name: `latency-bound-${inFlight}-cpu`,
    unit: 'ms',
    ours: cpuMs,
    peers: { 'bare-loop': 0.2, 'parallel-consumer': 0.7 },
  }),
];
const ceiling = row({ name: 'ceiling-lean', unit: 'commands/s', ours: 9_999 });
const numbers = (text: string) => [...text.matchAll(/-?[\d.]+/g)].map(Number);
/** Points of the lines in the order of the picture. */
const lines = (svg: string) => [...svg.matchAll(/<polyline points="([^"]*)"/g)].map(([, points]) => numbers(points!));

it('draws shares of the bare loop and processor times, the number in flight from left to right in equal steps', () => {
  const svg = picture([...at(256, 500, 1), ceiling, ...at(64, 1_000, 0.5), ...at(128, 250, 0)]);
  const [ours, parallelConsumer, ...times] = lines(svg);
  // The left axis ends at 1, so 1, 0.25 and 0.5 of the bare loop are 0, 195 and 130 below the top of 260.
  expect(ours).toEqual([52, 44, 242, 239, 432, 174]);
  expect(parallelConsumer).toEqual([52, 174, 242, 174, 432, 174]);
  // The right axis ends at 1 ms.
  expect(times[0]).toEqual([524, 174, 714, 304, 904, 44]);
  expect(times).toHaveLength(3);
  expect(svg).not.toContain('9999');
});

it('has texts that can be read on a dark page', () => {
  expect(picture([...at(64, 1, 1), ...at(128, 1, 1)])).toMatch(/prefers-color-scheme:dark\)\{text\{fill:#e6edf3\}/);
});

it('needs two numbers in flight', () => {
  expect(() => picture([...at(64, 1, 1), ceiling])).toThrow('at least two numbers in flight');
});
