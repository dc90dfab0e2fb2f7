import type { Row } from './report.js';

const HEAD = ['row', 'ours', 'peers', 'ratio', 'target', 'met'];

/**
 * Returns the text with the rows in its table between `<!-- bench NAME -->` and `<!-- end -->`; after a run of a part, rows of the others
 * stay. @throws if the text has no such place
 */
export function withTable(text: string, name: string, rows: readonly Row[], isPart: boolean): string {
  const start = `<!-- bench ${name} -->\n`;
  const from = text.indexOf(start) + start.length;
  const to = text.indexOf('<!-- end -->', from);
  if (!text.includes(start) || to < 0)
    throw new Error(`There is no place for the table: ${start.trim()} … <!-- end -->`);
  const before = isPart ? text.slice(from, to).split('\n').filter((line) => line.startsWith('| ')).slice(2).map(cellsOf) : []; // prettier-ignore
  const lines = new Map([...before, ...rows.map(shown)].map((cells) => [cells[0], cells]));
  const all = [HEAD, ...lines.values()];
  const widths = HEAD.map((_, column) => Math.max(...all.map((cells) => cells[column]!.length)));
  const line = (cells: readonly string[]) => `| ${cells.map((cell, n) => cell.padEnd(widths[n]!)).join(' | ')} |`;
  const table = [line(HEAD), line(widths.map((width) => '-'.repeat(width))), ...[...lines.values()].map(line)];
  return `${text.slice(0, from)}\n${table.join('\n')}\n\n${text.slice(to)}`;
}

const cellsOf = (line: string): string[] => line.slice(2, -2).split(' | ').map((cell) => cell.trim()); // prettier-ignore

function shown({ name, unit, ours, peers, ratio, target, met }: Row): string[] {
  const others = Object.entries(peers).map(([peer, figure]) => `${peer} ${grouped(figure)}`);
  const judged = target === null ? ['', '', ''] : [ratio === null ? '' : String(ratio), target, met ? 'yes' : '**no**'];
  return [name, `${grouped(ours)} ${unit}`, others.join(', '), ...judged];
}

const grouped = (figure: number) => figure.toLocaleString('en-US');
