/** The platform's export of transactions, whose columns a setting names. */
import { execCodeClass, operationKindOf, orderKey, parseOrderKey, type OperationKind } from '@tranche/contracts';
import { readCsv, type CsvRow } from './csv.js';

const EXPORT_FIELDS = ['orderId', 'transactionId', 'operation', 'amount', 'execCode', 'at'] as const;
type ExportField = (typeof EXPORT_FIELDS)[number];
/** Heading of each field's column. */
export type ExportColumns = Readonly<Record<ExportField, string>>;

export type Outcome = 'succeeded' | 'refused' | 'open';

export interface ExportRow {
  line: number;
  orderId: string;
  transactionId: string;
  operation: OperationKind;
  /** Minor units. */
  amount?: number;
  execCode: string;
  outcome: Outcome;
  at: string;
}
export interface ExportFault {
  line: number;
  fault: string;
}

/** `orderId=ORDERID,…`, with every field once. */
export function readExportColumns(text: string): ExportColumns {
  const pairs = text.split(',').map((pair) => pair.split('=', 2).map((part) => part.trim()));
  const columns = Object.fromEntries(pairs) as Record<string, string | undefined>;
  const isWhole = pairs.length === EXPORT_FIELDS.length && EXPORT_FIELDS.every((field) => columns[field]);
  if (!isWhole || new Set(Object.values(columns)).size < EXPORT_FIELDS.length)
    throw new Error(`must be FIELD=HEADING, comma-separated, for each of ${EXPORT_FIELDS.join(', ')}`);
  return columns as ExportColumns;
}

/** Reads rows, and what is wrong with others. A fault of the heading is the last one. */
export function* readExport(text: string, merchant: string, columns: ExportColumns): Generator<ExportRow | ExportFault> {
  let heading: string[] | undefined;
  let places: Record<ExportField, number> | undefined;
  for (const row of readCsv(text)) {
    if ('fault' in row) yield row;
    else if (heading === undefined || places === undefined) {
      heading = row.fields;
      const missing = EXPORT_FIELDS.filter((field) => heading!.filter((one) => one === columns[field]).length !== 1);
      yield* missing.map((field) => ({ line: row.line, fault: `must have the column ${columns[field]} once (${field})` }));
      if (missing.length > 0) return;
      places = Object.fromEntries(EXPORT_FIELDS.map((field) => [field, heading!.indexOf(columns[field])])) as Record<ExportField, number>;
    } else if (row.fields.length !== heading.length)
      yield { line: row.line, fault: `has ${row.fields.length} fields, the heading has ${heading.length}` };
    else {
      const { read, wrong } = rowOf(row, merchant, columns, places);
      yield* wrong.map((fault) => ({ line: row.line, fault }));
      if (read) yield read;
    }
  }
  if (heading === undefined) yield { line: 1, fault: 'the file has no heading' };
} // prettier-ignore

function rowOf(
  { line, fields }: CsvRow,
  merchant: string,
  columns: ExportColumns,
  places: Record<ExportField, number>,
) {
  const of = (field: ExportField) => fields[places[field]]!.trim();
  const wrong: string[] = [];
  const must = (isSound: boolean, field: ExportField, what: string) => {
    if (!isSound) wrong.push(`${columns[field]} must be ${what}`);
  };
  const [orderId, transactionId, amount, execCode] = [of('orderId'), of('transactionId'), of('amount'), of('execCode')];
  const operation = operationKindOf(of('operation'));
  const atMs = Date.parse(of('at'));
  must(parseOrderKey(orderKey(merchant, orderId)) !== undefined, 'orderId', 'an ORDERID');
  must(/^[!#-[\]-~]{1,32}$/.test(transactionId), 'transactionId', 'a TRANSACTIONID');
  must(operation !== undefined, 'operation', 'an OPERATIONTYPE');
  must(amount === '' || /^\d{1,12}$/.test(amount), 'amount', 'in minor units, digits only');
  must(/^\d{4}$/.test(execCode), 'execCode', 'an EXECCODE of 4 digits');
  must(/^\d{4}-\d\d-\d\dT/.test(of('at')) && !Number.isNaN(atMs), 'at', 'an RFC 3339 time-stamp');
  if (wrong.length > 0) return { wrong };
  const read: ExportRow = {
    ...{ line, orderId, transactionId, operation: operation!, execCode, outcome: outcomeOf(execCode) },
    ...(amount !== '' && { amount: Number(amount) }),
    at: new Date(atMs).toISOString(),
  };
  return { read, wrong };
}

function outcomeOf(execCode: string): Outcome {
  const known = execCodeClass(execCode);
  if (known === 'succeeded' || known === 'succeeded_partly') return 'succeeded';
  return known === 'refused' || known === 'not_executed' ? 'refused' : 'open';
}
