/** Reads and writes the CSV of spreadsheets: `;`, quotes doubled within quotes, UTF-8 with a byte order mark. */
export interface CsvRow {
  /** Line of its beginning, from 1. */
  line: number;
  fields: string[];
}

/** A row, or the fault of a line: reading goes on with the next line. */
export function* readCsv(text: string): Generator<CsvRow | { line: number; fault: string }> {
  const field = /"((?:[^"]|"")*)"(?=[;\r\n]|$)|([^;"\r\n]*)(?=[;\r\n]|$)/y;
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  let line = 1;
  while (at < text.length) {
    const row: CsvRow = { line, fields: [] };
    let end = '';
    do {
      field.lastIndex = at;
      const found = field.exec(text);
      if (found === null) break;
      row.fields.push(found[1]?.replaceAll('""', '"') ?? found[2]!);
      if (found[1] !== undefined) line += found[1].split('\n').length - 1;
      at = field.lastIndex;
      end = text[at] ?? '\n';
      if (end === ';') at++;
    } while (end === ';');
    const isWhole = end === '\n' || end === '\r';
    const next = text.indexOf('\n', at);
    at = next === -1 ? text.length : next + 1;
    line++;
    if (!isWhole) yield { line: row.line, fault: 'has a quotation mark in a place where it can not be' };
    else if (row.fields.length > 1 || row.fields[0] !== '') yield row;
  }
}

/** A spreadsheet takes what begins so for a formula. */
const FORMULA = /^[=+\-@\t\r]/;

export function csvLine(fields: readonly (string | number)[]): string {
  const texts = fields.map((field) => {
    const text = typeof field === 'string' && FORMULA.test(field) ? `'${field}` : String(field);
    return /[;"\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return `${texts.join(';')}\r\n`;
}
