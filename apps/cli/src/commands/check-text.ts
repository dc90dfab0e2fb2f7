import { printable } from '../printable.js';
import type { CheckedCommand, Verdict } from './check-command.js';

const SAYS: Record<Exclude<Verdict, 'no_command'>, string> = {
  accepted: 'accepted: payment-gateway would take it; its order may still refuse it',
  rejected: 'refused: payment-gateway would answer with a rejection that lists these faults',
  unreadable: 'refused: payment-gateway would write it to the dead letters; its sender may hear nothing',
  signature_refused: 'refused: payment-gateway would write it to the dead letters, and its sender would hear nothing',
  not_read: 'refused: it names no topic that a gateway of this environment reads; its sender would hear nothing',
};

export function checkText(commands: readonly CheckedCommand[]): string {
  return printable(commands.map(oneText).join('\n\n'));
}

function oneText({ at, verdict, id, type, topic, key, partition, signature, faults, notes }: CheckedCommand): string {
  if (verdict === 'no_command') return faults.map(({ message }) => `${at}: ${message}`).join('\n');
  const facts = [
    `topic ${topic ?? 'not given'}`,
    `key ${key ?? 'none'}`,
    partition === undefined ? 'no partition' : `partition ${partition.number} of ${partition.of}`,
    `signature ${signature ?? 'not checked'}`,
  ];
  return [
    `${at}: ${type ?? 'no type'} ${id ?? 'without id'}`,
    `  ${facts.join(', ')}`,
    ...notes.map((note) => `  note: ${note}`),
    `  ${SAYS[verdict]}`,
    ...faults.flatMap((fault) => [
      // A fault of the envelope names its header itself.
      `  - ${fault.message.startsWith(fault.path) ? '' : `${fault.path} `}${fault.message} (${fault.code})`,
      `    next: ${fault.next}`,
    ]),
  ].join('\n');
}
