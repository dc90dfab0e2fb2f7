import { printable } from '../../printable.js';
import { placeText, type DeadLetter } from './command-story.js';
import type { FoundCommand } from './find.js';

export function findText(found: readonly FoundCommand[]): string {
  return printable(found.map(oneText).join('\n\n'));
}

function oneText({
  commandId,
  order,
  verdict,
  says,
  next,
  faults,
  copies,
  letters,
  events,
  group,
}: FoundCommand): string {
  const name = `command ${commandId ?? 'without an id'}`;
  const ofOrder = order === undefined ? '' : ` of ${order.merchant}/${order.orderId}`;
  return [
    `${name}${ofOrder}: ${verdict}`,
    `  ${says}`,
    ...faults.map(({ path, message, code }) => `  - ${path === '' ? '' : `${path} `}${message} (${code})`),
    `  next: ${next}`,
    ...copies.map((copy) => {
      const from = copy.forwardedFrom === undefined ? '' : `, published again by a gateway from ${copy.forwardedFrom}: set partitioner=murmur2_random`; // prettier-ignore
      return `  command: ${placeText(copy)} at ${copy.at}${from}`;
    }),
    ...letters.map((letter) => `  dead letter: ${placeText(letter)} at ${letter.at}, ${letter.code}`),
    ...events.map((event) => `  event: ${event.type}, ${placeText(event)} at ${event.at}, id ${event.id}`),
    ...(group === undefined ? [] : [`  group ${group.name} ${groupSays(group)}`]),
    ...(order === undefined
      ? []
      : [
          `  order: ${linkOf(order)} on the management port of payment-gateway${verdict === 'waiting' ? ', 404 until a command of the order is tried' : ''}`,
        ]),
  ].join('\n');
}

function groupSays({ next, hasRead }: NonNullable<FoundCommand['group']>): string {
  if (next === undefined) return 'has committed nothing on the partition of the event: is it the right name?';
  return hasRead
    ? `has read the event: it reads ${next} next`
    : `has not read the event: it reads ${next} next, so it stands still or is behind`;
}

const linkOf = ({ merchant, orderId }: NonNullable<FoundCommand['order']>) =>
  `/v1/orders/${encodeURIComponent(merchant)}/${encodeURIComponent(orderId)}`;

export function refusedText(letters: readonly DeadLetter[]): string {
  const lines = letters.map(({ at, key, commandId, code, message, kid, of }) => {
    const ofKey = kid === undefined ? '' : `, key id ${kid}`;
    return `${at} ${key ?? 'without a key'} ${commandId ?? 'without an id'}: ${code}, ${message}${ofKey} (${of})`;
  });
  return printable(lines.join('\n'));
}
