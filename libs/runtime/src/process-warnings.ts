/**
 * Reports the warnings of Node.js instead of letting it print them. kafkajs sets a timer to the past, which Node.js 24 would print once at
 * the user of every process with a Kafka client (docs/decisions/0118): that one is left out. For programs only: a library must leave the
 * process to its program.
 */
export function reportWarnings(report: (warning: Error) => void): void {
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (warning.name !== 'TimeoutNegativeWarning') report(warning);
  });
}
