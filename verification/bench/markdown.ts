import { TITLE } from './picture.js';
import type { Row } from './report.js';

const HEAD = ['row', 'ours', 'peers', 'ratio', 'target', 'met'];

/**
 * Returns the text with the rows, and the link to a picture, between `<!-- bench NAME -->` and `<!-- end -->`. After a run of a part, rows
 * of the others stay, as the link does without a new one. @throws if the text has no such place
 */
export function withTable(text: string, name: string, rows: readonly Row[], isPart: boolean, picture?: string): string {
  const start = `<!-- bench ${name} -->\n`;
  const from = text.indexOf(start) + start.length;
  const to = text.indexOf('<!-- end -->', from);
  if (!text.includes(start) || to < 0)
    throw new Error(`There is no place for the table: ${start.trim()} … <!-- end -->`);
  const old = text.slice(from, to).split('\n');
  const before = isPart
    ? old
        .filter((line) => line.startsWith('| '))
        .slice(2)
        .map(cellsOf)
    : [];
  const link = picture === undefined ? old.find((line) => line.startsWith('![')) : `![${TITLE}](${picture})`;
  const lines = new Map([...before, ...rows.map(shown)].map((cells) => [cells[0], cells]));
  const all = [HEAD, ...lines.values()];
  const widths = HEAD.map((_, column) => Math.max(...all.map((cells) => cells[column]!.length)));
  const line = (cells: readonly string[]) => `| ${cells.map((cell, n) => cell.padEnd(widths[n]!)).join(' | ')} |`;
  const table = [line(HEAD), line(widths.map((width) => '-'.repeat(width))), ...[...lines.values()].map(line)];
  const content = [...table, ...(link === undefined ? [] : ['', link])].join('\n');
  return `${text.slice(0, from)}\n${content}\n\n${text.slice(to)}`;
}

const cellsOf = (line: string): string[] => line.slice(2, -2).split(' | ').map((cell) => cell.trim()); // prettier-ignore

function shown({ name, unit, ours, peers, ratio, target, met }: Row): string[] {
  const others = Object.entries(peers).map(([peer, figure]) => `${peer} ${grouped(figure)}`);
  const judged = target === null ? ['', '', ''] : [ratio === null ? '' : String(ratio), target, met ? 'yes' : '**no**'];
  return [name, `${grouped(ours)} ${unit}`, others.join(', '), ...judged];
}

const grouped = (figure: number) => figure.toLocaleString('en-US');
