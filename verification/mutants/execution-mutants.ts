import type { Mutant } from './mutant.js';

export const EXECUTION_MUTANTS: readonly Mutant[] = [
  {
    name: 'judged-before-it-is-known',
    does: 'refuses a command by its configuration of today without asking whether its order knows it (R13)',
    project: 'order-journal',
    file: 'execution/known-command.js',
    find: 'let order = await read();',
    replace: "let order = await read(); if (typeof betweenAttempts !== 'string') return 'unknown';",
    profile: 'edges',
  },
  {
    name: 'unknown-to-a-view-that-lags',
    does: 'takes a command for unknown because its own view of the journal has not brought it yet (R13)',
    project: 'order-journal',
    file: 'execution/known-command.js',
    find: "if (typeof betweenAttempts !== 'string' && findOperation(order, commandId) === undefined)",
    replace: 'if (false)',
    profile: 'edges',
    from: 2_200,
  },
  {
    name: 'send-before-the-acknowledgement',
    does: 'sends while its INTENT is still on the way to the journal',
    project: 'order-journal',
    file: 'execution/command-executor.js',
    find: 'const { after, verdict } = await journal.appendIntent(intent, trace);',
    replace:
      "void journal.append(intent).catch(() => undefined); return { token, verdict: 'granted', started, after: order };",
  },
  {
    name: 'skip-the-read-back',
    does: 'takes the acknowledged INTENT for a grant and does not ask the fold',
    project: 'order-journal',
    file: 'execution/command-executor.js',
    find: 'const { after, verdict } = await journal.appendIntent(intent, trace);',
    replace: "await journal.append(intent); return { token, verdict: 'granted', started, after: order };",
  },
  {
    name: 'dedupe-only-in-redis',
    does: 'asks the state that was read before instead of the verdict on its own INTENT',
    project: 'order-journal',
    file: 'execution/command-executor.js',
    find: 'const { after, verdict } = await journal.appendIntent(intent, trace);',
    replace:
      "const { after } = await journal.appendIntent(intent, trace); const verdict = findOperation(order, commandId)?.phase ?? 'granted';",
  },
  {
    name: 'retry-on-5xx',
    does: 'takes an HTTP 5xx for "not executed" and tries again',
    project: 'order-journal',
    file: 'execution/command-executor.js',
    find: 'token }, result)',
    replace:
      "token }, result.reason === 'http_status' ? { record: 'NOT_EXECUTED', reason: 'unreachable', message: '' } : result)",
  },
  {
    name: 'no-send-deadline',
    does: 'sends however long ago it asked (R5)',
    project: 'order-journal',
    file: 'execution/command-executor.js',
    find: 'isWithinSendDeadline(started, this.ports.readClocks())',
    replace: 'true',
  },
];
