/** A figure beside those of its peers, measured in the same run. */
export interface Row {
  name: string;
  /** Unit of `ours` and of the peers: `commands/s`, `ms`, … */
  unit: string;
  ours: number;
  peers: Record<string, number>;
  /** Ours divided by the target's peer, or by the target's number if it names no peer. */
  ratio: number | null;
  /** The target in words, as design and README have it: `≥ 0.9 × bare-loop`, `≤ 15 ms`. Null if the figure has no target. */
  target: string | null;
  met: boolean;
  details?: Record<string, number | string>;
}

/** A target is a number in the row's unit, or a multiple of a peer's figure. */
export type Target = { atLeast: number; times?: string } | { atMost: number; times?: string } | undefined;

export interface Measured {
  name: string;
  unit: string;
  ours: number;
  peers?: Record<string, number>;
  target?: Target;
  details?: Record<string, number | string>;
}

export function row({ name, unit, ours, peers = {}, target, details }: Measured): Row {
  const shown = { name, unit, ours: rounded(ours), peers: mapped(peers) };
  const more = details ? { details: mapped(details) } : {};
  if (target === undefined) return { ...shown, ratio: null, target: null, met: true, ...more };
  const isFloor = 'atLeast' in target;
  const bound = isFloor ? target.atLeast : target.atMost;
  const measure = target.times === undefined ? 1 : peers[target.times];
  const ratio = measure === undefined || measure === 0 ? null : ours / (target.times === undefined ? bound : measure);
  const wanted = target.times === undefined ? bound : bound * (measure ?? Number.NaN);
  const met = isFloor ? ours >= wanted : ours <= wanted;
  const text = `${isFloor ? '≥' : '≤'} ${bound} ${target.times === undefined ? unit : `× ${target.times}`}`;
  return { ...shown, ratio: ratio === null ? null : rounded(ratio), target: text, met, ...more };
}

const HEADINGS = ['', 'ours', 'unit', 'peers', 'ratio', 'target', 'met'];

export function table(rows: readonly Row[]): string {
  const cells = rows.map(({ name, ours, unit, peers, ratio, target, met }) => [
    name,
    String(ours),
    unit,
    pairs(peers),
    ratio === null ? '' : String(ratio),
    target ?? '',
    target === null ? '' : met ? 'yes' : 'NO',
  ]);
  const widths = HEADINGS.map((heading, column) =>
    Math.max(heading.length, ...cells.map((line) => (line[column] ?? '').length)),
  );
  const line = (texts: string[]) =>
    texts
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  const lines = rows.flatMap((each, index) => [
    line(cells[index] ?? []),
    ...(each.details ? [`    ${pairs(each.details)}`] : []),
  ]);
  return [line(HEADINGS), ...lines].join('\n');
}

const pairs = (values: Record<string, number | string>) =>
  Object.entries(values)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');

function mapped<T extends number | string>(values: Record<string, T>): Record<string, T> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'number' ? (rounded(value) as T) : value]),
  );
}

/** Rounds to three significant digits, and to whole numbers from 100 on. */
export function rounded(value: number): number {
  if (!Number.isFinite(value)) return value;
  return Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}
