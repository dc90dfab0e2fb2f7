import { recordHash } from '../state/records.js';
import { resumeCommand, skipCommand } from './partition-health.js';
import { whyUnreadable } from './unreadable.js';

/** End of the reason of a partition whose log is not the one that was read. */
export const adviceOnLoss = (partition: number): string =>
  `; restore the log, or stop every gateway and run \`${resumeCommand(partition)}\``;

/** End of the reason of a partition that stopped at a record. */
export function adviceOnRecord(partition: number, { offset, value }: { offset: bigint; value: Buffer | null }): string {
  if (whyUnreadable(value)?.maySkip === false) return '; start a release that reads it';
  return `; stop every gateway and run \`${skipCommand(partition, offset, recordHash(value))}\``;
}
