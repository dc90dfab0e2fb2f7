import type { Asked, DryRun } from '../api/operations.js';
import { EXIT, type ExitCode } from '../exit.js';
import { printableInLine } from '../printable.js';

/** The answer to a statement: an operation or a conflict that was judged, a record that was not judged yet, or a proposal. */
export interface Said {
  id: string;
  state?: string;
  proposedBy?: string;
  expiresAt?: string;
  recorded?: { partition: number; offset: string };
  settled?: { verdict?: string };
  detail?: string;
}

export function previewText({ order, events, opens, closes, conflictsWith, approval }: DryRun): string[] {
  const asked = ({ operation, transactionId, code }: Asked) =>
    [operation, transactionId && `of ${transactionId}`, code && `(${code})`].filter(Boolean).join(' ');
  const isPayment = ({ operation }: Asked) => operation === 'authorize' || operation === 'pay';
  return [
    `the order would be ${order.status}`,
    `events: ${events.length === 0 ? 'none' : events.map(({ type }) => type).join(', ')}`,
    ...opens.map((one) => `let through from then on: ${asked(one)}`),
    ...(opens.some(isPayment)
      ? ['ANOTHER PAYMENT WOULD BE LET THROUGH: the customer may pay twice, if this is wrong']
      : []),
    ...closes.map((one) => `refused from then on: ${asked(one)}`),
    ...(conflictsWith.length === 0 ? [] : [`a later report of ${conflictsWith.join(' or ')} would be a conflict`]),
    approval === undefined
      ? 'one person is enough'
      : `another person must agree: role ${approval.role}, not ${approval.notBy} (${approval.why})`,
  ].map(printableInLine);
}

/** Says whether a statement counted. */
export function saidOf(status: number, body: Said, order: string): { text: string; code: ExitCode } {
  if (body.proposedBy !== undefined)
    return {
      text: `proposed, and nothing has changed yet: another person approves it with \`tranche approve ${body.id}\`${body.expiresAt === undefined ? '' : ` until ${body.expiresAt}`}`,
      code: EXIT.awaitsApproval,
    };
  if (status === 202)
    return {
      text: `it is in the journal (${body.recorded?.partition}/${body.recorded?.offset}) and not judged yet: look with \`tranche show ${order}\` before anybody is told that it counts`,
      code: EXIT.unknown,
    };
  const verdict = body.settled?.verdict ?? 'counted';
  if (verdict !== 'counted')
    return { text: `it did not count (${verdict}): look with \`tranche show ${order}\``, code: EXIT.refused };
  return { text: `it counted${body.state === undefined ? '' : `: the operation is ${body.state}`}`, code: EXIT.done };
}
