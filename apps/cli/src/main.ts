import 'reflect-metadata';
import { reportWarnings } from '@tranche/runtime';
import { exitCodeOf, tranche } from './tranche.js';

const print = (line: string) => void process.stderr.write(`${line}\n`);

reportWarnings(({ message }) => print(message));
const made = tranche((code) => void (process.exitCode = code));
// No `await` here: the bundle is CommonJS.
made.program
  .parseAsync()
  .then(() => made.assertNoFaults())
  .catch((error: unknown) => void (process.exitCode = exitCodeOf(error, print)));
