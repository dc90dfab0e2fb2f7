/** Prints the demo's timeline: a line for each command, note and event. */

const MARKS = { command: '→', event: '←', note: '·' };
const MESSAGE_WIDTH = 90;

/**
 * Formats one entry in columns: elapsed ms, name, EXECCODE, amount, transaction, flags. The faults of a rejected command follow, one line
 * each.
 */
export function timelineLines({ elapsedMs, kind, text, event, isAgain = false }) {
  const elapsed = `${elapsedMs.toFixed(0).padStart(7)} ms  ${MARKS[kind]} `;
  if (kind !== 'event') return [elapsed + text];
  const { execCode, outcome, amount, currency, transactionId, flags = [], faults = [] } = event.data;
  const columns = [
    event.type.padEnd(35),
    (execCode ?? '').padEnd(4),
    (amount === undefined ? '' : money(amount, currency)).padStart(11),
    transactionId ?? '',
    outcome === undefined ? '' : `→ ${outcome}`,
    flags.join(', '),
    isAgain ? '(the same event again)' : '',
  ];
  const indent = ' '.repeat(elapsed.length);
  return [
    (elapsed + columns.join('  ')).trimEnd(),
    ...faults.map(({ path, code, message }) => `${indent}${faultText(path, code, message)}`),
  ];
}

const faultText = (path, code, message) => `${(path || '(command)').padEnd(24)} ${code.padEnd(24)} ${cut(message)}`;
const cut = (text) => (text.length > MESSAGE_WIDTH ? `${text.slice(0, MESSAGE_WIDTH - 1)}…` : text);

export function money(amount, currency = 'EUR') {
  return `${(amount / 100).toFixed(2)} ${currency}`;
}
