import { decodeCloudEvent } from '../cloud-events.js';
import type { Merchant } from '../merchants.js';
import { SIGNATURE_HEADER, signatureProblem, type CommandToSign, type SignatureProblem } from './command-signature.js';

/**
 * Checks the signature of a command. A signature must be made for this environment. Its key must have been valid when the command was made and when
 * Kafka appended it, so that waiting commands survive a change of keys.
 * @returns undefined where the merchant's commands need no signature and this one has none that could be checked
 */
export async function commandSignatureProblem(
  record: CommandToSign & { timestampMs: number },
  { publisherKeys = [], requireSignatures = false }: Merchant,
  environmentId: string | undefined,
): Promise<SignatureProblem | 'verified' | undefined> {
  const isSigned = record.headers[SIGNATURE_HEADER] !== undefined;
  if (!requireSignatures && (!isSigned || publisherKeys.length === 0)) return undefined;
  const madeMs = Date.parse(record.headers.ce_time ?? decodeCloudEvent(record).event?.time ?? '');
  const expected = { keys: publisherKeys, environmentId, atMs: [madeMs, record.timestampMs] };
  return (await signatureProblem(record, expected)) ?? 'verified';
}
