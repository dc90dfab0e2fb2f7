/** The one table of exit codes: `--help`, README.md and every command take it from here. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  refused: 3,
  notAllowed: 4,
  unknown: 5,
  partly: 6,
  awaitsApproval: 7,
  settings: 78,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_CODES: readonly (readonly [ExitCode, string])[] = [
  [EXIT.done, 'done, or nothing is wrong'],
  [EXIT.failed, 'failed: something does not answer, is not there, or could not be found out'],
  [EXIT.usage, 'wrong use: all faults of the arguments are named'],
  [EXIT.refused, 'refused: the state of the order, the proposal, the job or the journal does not allow it'],
  [EXIT.notAllowed, 'not allowed: no sign-in, another role, another merchant, or the same person twice'],
  [EXIT.unknown, 'outcome unknown: it may have counted, so look before you repeat it'],
  [EXIT.partly, 'partly: something differs, is damaged, or is left to do'],
  [EXIT.awaitsApproval, 'awaits the approval of another person'],
  [EXIT.settings, 'a setting is wrong'],
];

export const exitCodesText = (): string =>
  ['Exit codes:', ...EXIT_CODES.map(([code, meaning]) => `  ${String(code).padEnd(4)}${meaning}`)].join('\n');

/** An end that the person is told of, with its exit code. */
export class ExitError extends Error {
  constructor(
    readonly exitCode: ExitCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** A change is not made; the message says why and what to do. */
export class RefusedError extends ExitError {
  constructor(message: string, options?: ErrorOptions) {
    super(EXIT.refused, message, options);
  }
}

/** Kafka, Redis or a file don't let the command find out. */
export class CannotTellError extends ExitError {
  constructor(message: string, options?: ErrorOptions) {
    super(EXIT.failed, message, options);
  }
}

/** The arguments are wrong. */
export class UsageError extends ExitError {
  constructor(faults: string | readonly string[], options?: ErrorOptions) {
    super(EXIT.usage, typeof faults === 'string' ? faults : faults.join('\n'), options);
  }
}

/** A setting is missing or wrong. */
export class SettingsError extends ExitError {
  constructor(message: string, options?: ErrorOptions) {
    super(EXIT.settings, message, options);
  }
}
