/** Makes the text of `--help`: usage, options, variables and the meaning of exit codes. */
import { calledAs } from './list.mjs';

const WRONG = { 2: 'an argument or a variable is wrong; one line says which' };
const STOPPED = { 130: 'stopped by Ctrl-C (143: by SIGTERM)' };

export function helpText(
  name,
  { description, options = {}, positionals, variables = {}, exitCodes = {}, passesOn, ...command },
) {
  const endsByItself = !command.runsUntilStopped?.({});
  const usage = calledAs(
    name,
    [positionals?.join('|'), '[options]', passesOn && '[arguments]'].filter(Boolean).join(' '),
  );
  const optionRows = Object.entries(options).map(([option, row]) => [
    `--${option}${row.value ? ` ${row.value}` : ''}`,
    explained(row),
  ]);
  const sections = [
    ['Options', [...optionRows, ['-h, --help', 'shows this']]],
    ['Variables', Object.entries(variables).map(([variable, row]) => [variable, explained(row)])],
    ['Exit codes', Object.entries({ 0: 'done', 1: 'failed', ...exitCodes, ...WRONG, ...(endsByItself && STOPPED) })],
  ];
  const head = [
    `Usage: ${usage}`,
    '',
    sentence(description),
    ...(passesOn ? [`All other arguments go to ${passesOn}.`] : []),
  ];
  const tables = sections
    .filter(([, rows]) => rows.length > 0)
    .flatMap(([title, rows]) => ['', `${title}:`, ...aligned(rows)]);
  return `${[...head, ...tables].join('\n')}\n`;
}

const explained = ({ help, default: fallback }) => (fallback === undefined ? help : `${help} (default: ${fallback})`);
const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}.`;

function aligned(rows) {
  const width = Math.max(...rows.map(([left]) => left.length)) + 2;
  return rows.map(([left, right]) => `  ${left.padEnd(width)}${right}`);
}
