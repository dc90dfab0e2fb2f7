/**
 * Reports the warnings of Node.js instead of letting it print them between a program's own lines. For programs only: a library must leave
 * the process to its program.
 */
export function reportWarnings(report: (warning: Error) => void): void {
  process.removeAllListeners('warning').on('warning', report);
}
