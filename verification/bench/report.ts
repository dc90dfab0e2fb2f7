type Figures = Record<string, number>;

/** A target is a number in the row's unit, or a multiple of a peer's figure. */
export type Target = ({ atLeast: number } | { atMost: number }) & { times?: string };

export interface Measured {
  name: string;
  /** Unit of `ours` and of the peers: `commands/s`, `ms`, … */
  unit: string;
  ours: number;
  peers?: Figures;
  target?: Target | undefined;
  details?: Figures;
}

/** A figure beside those of its peers, measured in the same run. */
export interface Row {
  name: string;
  unit: string;
  ours: number;
  peers: Figures;
  /** Ours divided by the target's peer, or by the target's number if it names no peer; of a function its share of a profile. */
  ratio: number | null;
  /** The target in words, as design and README have it: `≥ 0.9 × bare-loop`, `≤ 15 ms`. Null if the figure has no target. */
  target: string | null;
  met: boolean;
  details?: Figures;
}

export function row({ name, unit, ours, peers = {}, target, details }: Measured): Row {
  const shown = { name, unit, ours: rounded(ours), peers: mapped(peers), ...(details && { details: mapped(details) }) };
  if (target === undefined) return { ...shown, ratio: null, target: null, met: true };
  const isFloor = 'atLeast' in target;
  const bound = isFloor ? target.atLeast : target.atMost;
  const measure = target.times === undefined ? 1 : peers[target.times];
  const ratio = ours / ((target.times === undefined ? bound : measure) ?? 0);
  const wanted = bound * (measure ?? Number.NaN);
  const met = isFloor ? ours >= wanted : ours <= wanted;
  const text = `${isFloor ? '≥' : '≤'} ${bound} ${target.times === undefined ? unit : `× ${target.times}`}`;
  return { ...shown, ratio: Number.isFinite(ratio) ? rounded(ratio) : null, target: text, met };
}

/** Prints the rows, and what else was seen of them. */
export function print(rows: readonly Row[]): void {
  const cells = rows.map(({ name, ours, unit, peers, ratio, target, met }) => {
    const judged = target === null ? {} : { target, met: met ? 'yes' : 'NO' };
    return [name, { ours, unit, peers: pairs(peers), ...(ratio !== null && { ratio }), ...judged }] as const;
  });
  console.table(Object.fromEntries(cells));
  for (const { name, details } of rows) if (details) console.log(`${name}: ${pairs(details)}`);
}

const pairs = (values: Figures) =>
  Object.entries(values)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');

const mapped = (values: Figures): Figures =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, rounded(value)]));

/** Rounds to three significant digits, and to whole numbers from 100 on. */
export function rounded(value: number): number {
  if (!Number.isFinite(value)) return value;
  return Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}
