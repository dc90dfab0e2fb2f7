/** Checks the code that rows of docs/reference/spec-coverage.md name: each file must hold a symbol of its row, and production code must use it. */
import { findSymbol } from './symbols.mjs';

/** Parses `a/file.ts` followed by its symbols, `NAME` or `NAME = value`, into `[{ file, symbols: [{ name, value }] }]`. */
export function codeOf(cell) {
  const named = [];
  for (const [, span] of cell.matchAll(/`([^`]+)`/g)) {
    const [, name, value] = /^([\w.-]+) = (.+)$/.exec(span) ?? [undefined, span];
    if (span.includes('/') && value === undefined) named.push({ file: span, symbols: [] });
    else named.at(-1)?.symbols.push({ name, value });
  }
  return named;
}

/** Returns the faults of a row, one line each. `known` has `files`, `textOf`, and `isUsed(file, name)` for production code. */
export function symbolFaults({ code }, { files, textOf, isUsed }) {
  return codeOf(code)
    .filter(({ file }) => files.has(file))
    .flatMap(({ file, symbols }) => [
      ...(symbols.length > 0 ? [] : [`${file} is named without a symbol of it`]),
      ...symbols.flatMap((symbol) => faultsOf(file, symbol, textOf(file), isUsed)),
    ]);
}

function faultsOf(file, { name, value }, source, isUsed) {
  const found = findSymbol(source, name);
  if (!found) return [`${name} is in no code of ${file}`];
  return [
    ...(file.endsWith('.ts') && !found.owners.some((owner) => isUsed(file, owner)) ? [`${name} of ${file} is not used in production`] : []), // prettier-ignore
    ...(value === undefined || found.values.includes(value) ? [] : [`${name} of ${file} is ${found.values.join(', ') || 'no value'}, not ${value}`]), // prettier-ignore
  ];
}
