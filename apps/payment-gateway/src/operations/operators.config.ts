import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { OperatorsFileError, readOperators, type Operator } from './operators.js';

/** Key files are named relative to the operators file. */
export function loadOperators(path: string): Operator[] {
  return readOperators(parse(readFileSync(path, 'utf8')), (file) => readFileSync(resolve(dirname(path), file), 'utf8'));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message repeats parts of the file.
    throw new OperatorsFileError([{ path: '', message: 'is not JSON' }]);
  }
}
