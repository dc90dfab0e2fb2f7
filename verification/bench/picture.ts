import type { Row } from './report.js';

/** The bare loop is the limit that a platform sets; others are shares of it. */
const LIMIT = 'bare-loop';
export const TITLE = 'Throughput and processor time against calls in flight';
const WIDTH = 400;
const HEIGHT = 260;
const LEFT = 52;
const TOP = 44;
/** Colours that can be told apart by people who see red and green alike, on white and on black. */
const COLOURS = ['#2f81d6', '#e69f00', '#cc79a7', '#009e73'];

interface Curve {
  name: string;
  /** Calls in flight, and the figure there. */
  points: [inFlight: number, figure: number][];
}

/**
 * Draws throughput as a share of the bare loop's, and processor time per command, against calls in flight, as far as the rows of
 * `latency-bound-N` tell. Its texts are light where the viewer's colours are dark. @throws if there are no such rows
 */
export function picture(rows: readonly Row[]): string {
  const shares = curvesOf(rows, /^latency-bound-(\d+)$/, (figure, limit) => figure / limit);
  const times = curvesOf(rows, /^latency-bound-(\d+)-cpu$/, (figure) => figure);
  const inFlight = shares[0]?.points.map(([n]) => n) ?? [];
  if (inFlight.length < 2) throw new Error('A picture needs latency-bound parts of at least two numbers in flight');
  const [width, height] = [2 * (WIDTH + LEFT) + 40, TOP + HEIGHT + 84];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${TITLE}">`,
    '<style>text{font:13px sans-serif;fill:#1f2328}.grid{stroke:#8b949e;stroke-opacity:.35}',
    '@media (prefers-color-scheme:dark){text{fill:#e6edf3}}</style>',
    chart(
      0,
      'commands/s, share of the bare loop',
      shares.filter(({ name }) => name !== LIMIT),
      inFlight,
      1,
    ),
    chart(WIDTH + LEFT + 20, 'ms of processor time per command', times, inFlight, 0),
    ...legend(
      times.map(({ name }) => name),
      TOP + HEIGHT + 62,
    ),
    '</svg>',
    '',
  ].join('\n');
}

function curvesOf(rows: readonly Row[], names: RegExp, of: (figure: number, limit: number) => number): Curve[] {
  const curves = new Map<string, Curve['points']>();
  for (const { name, ours, peers } of rows) {
    const inFlight = Number(names.exec(name)?.[1]);
    if (!inFlight) continue;
    for (const [one, figure] of Object.entries({ ours, ...peers }))
      curves.set(one, [...(curves.get(one) ?? []), [inFlight, of(figure, peers[LIMIT] ?? Number.NaN)]]);
  }
  return [...curves].map(([name, points]) => ({ name, points: points.sort(([a], [b]) => a - b) }));
}

/** The horizontal axis is logarithmic; the vertical one begins at 0 and ends at least at `floor`. */
function chart(
  left: number,
  title: string,
  curves: readonly Curve[],
  inFlight: readonly number[],
  floor: number,
): string {
  const step = stepOf(Math.max(floor, ...curves.flatMap(({ points }) => points.map(([, figure]) => figure))));
  const [first, last] = [Math.log2(inFlight[0]!), Math.log2(inFlight.at(-1)!)];
  const x = (n: number) => round(left + LEFT + ((Math.log2(n) - first) / (last - first)) * (WIDTH - 20));
  const y = (figure: number) => round(TOP + HEIGHT - (figure / (4 * step)) * HEIGHT);
  const grid = [0, 1, 2, 3, 4].map((nth) => {
    const at = y(nth * step);
    const line = `<line class="grid" x1="${left + LEFT}" x2="${left + LEFT + WIDTH - 20}" y1="${at}" y2="${at}"/>`;
    return `${line}<text x="${left + LEFT - 8}" y="${at + 4}" text-anchor="end">${round(nth * step)}</text>`;
  });
  const ticks = inFlight.map((n) => `<text x="${x(n)}" y="${TOP + HEIGHT + 20}" text-anchor="middle">${n}</text>`);
  const lines = curves.map(({ name, points }) => {
    const path = points.map(([n, figure]) => `${x(n)},${y(figure)}`).join(' ');
    const dots = points.map(([n, figure]) => `<circle cx="${x(n)}" cy="${y(figure)}" r="3.5"/>`).join('');
    const colour = colourOf(name);
    return `<g fill="${colour}"><polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>${dots}</g>`;
  });
  const below = `<text x="${left + LEFT + WIDTH / 2}" y="${TOP + HEIGHT + 40}" text-anchor="middle">calls in flight</text>`;
  return [`<text x="${left + LEFT}" y="${TOP - 18}">${title}</text>`, ...grid, ...ticks, below, ...lines].join('\n');
}

function legend(names: readonly string[], y: number): string[] {
  return names.map((name, nth) => {
    const x = LEFT + nth * 200;
    return `<circle cx="${x}" cy="${y}" r="5" fill="${colourOf(name)}"/><text x="${x + 12}" y="${y + 4}">${name}</text>`;
  });
}

const NAMES = ['ours', LIMIT, 'parallel-consumer-vertx', 'parallel-consumer'];
const colourOf = (name: string) => COLOURS[NAMES.indexOf(name)] ?? '#8b949e';

/** Returns a round number of which four reach the figure. */
function stepOf(most: number): number {
  const tenth = 10 ** Math.floor(Math.log10(most / 4));
  return [1, 2, 2.5, 5, 10].map((n) => n * tenth).find((step) => 4 * step >= most * 0.999)!;
}

const round = (figure: number) => Math.round(figure * 1000) / 1000;
