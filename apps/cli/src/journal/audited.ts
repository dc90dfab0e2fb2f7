import { randomUUID } from 'node:crypto';
import { AUDIT_TYPE, encodeCloudEvent, TOPICS, type AuditRecord, type AuditResult } from '@tranche/contracts';
import type { TwoPeople } from '@tranche/order-journal';
import type { JournalAccess } from './journal-access.js';

type About = Required<Pick<AuditRecord, 'action' | 'proposal'>> & Pick<AuditRecord, 'partition' | 'offset'>;

/** Writes `asked` before the change, which is not made without it, and `done` or `failed` after it. */
export async function audited(
  access: JournalAccess,
  abouts: readonly About[],
  { requestedBy: operator, approvedBy, reason }: TwoPeople,
  change: () => Promise<void>,
): Promise<void> {
  const write = (result: AuditResult) =>
    access.producer.sendAll(
      abouts.map((about) => {
        const data: AuditRecord = { ...about, result, operator, approvedBy, reason };
        const time = new Date().toISOString();
        const event = { id: randomUUID(), source: 'tranche-cli', type: AUDIT_TYPE, time, data };
        return { topic: access.topic(TOPICS.operationsAudit), key: operator, ...encodeCloudEvent(event) };
      }),
    );
  await write('asked');
  try {
    await change();
  } catch (error) {
    await write('failed').catch(() => undefined);
    throw error;
  }
  await write('done');
}
