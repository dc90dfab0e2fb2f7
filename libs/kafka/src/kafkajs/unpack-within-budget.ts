import { headersIn, messagesIn } from './batch-content.js';
import { budgetOf, FetchBudget, LeftOutError } from './fetch-budget.js';
import {
  BatchTooLargeError,
  headerOf,
  MAX_BATCH_HEADERS,
  MAX_UNPACKED_BYTES,
  recordsInstead,
  TOO_MANY_HEADERS,
  type BatchHeader,
} from './unreadable-batch.js';

/**
 * Unpacks to at most `limit` bytes.
 * @throws BatchTooLargeError if the content is larger
 */
export type Unpack = (packed: Buffer, limit: number) => Buffer | Promise<Buffer>;

/** Maximum ratio of deflate; bounds the unpacking work of a batch that turned out to be corrupt. */
const MAX_RATIO = 1032;

/**
 * Returns the content of a batch, or records with only the reason.
 * @throws LeftOutError if the response has no room left
 */
export async function unpackWithinBudget(packed: Buffer, name: string, unpack: Unpack): Promise<Buffer> {
  const budget = budgetOf(packed) ?? new FetchBudget();
  const header = headerOf(packed);
  const limit = budget.bytesOfBatch;
  if (limit === 0 || !budget.hasRoomFor({ records: header?.count ?? 1 })) throw new LeftOutError();
  let content: Buffer;
  try {
    content = await unpack(packed, limit);
  } catch (error) {
    return contentInstead(packed, name, error, { budget, header });
  }
  return weighed(content, { budget, header });
}

interface Of {
  budget: FetchBudget;
  header: BatchHeader | undefined;
}

function weighed(content: Buffer, { budget, header }: Of): Buffer {
  const bytes = content.length;
  if (!header) {
    if (budget.spend({ bytes, records: messagesIn(content) })) return content;
    throw new LeftOutError();
  }
  const headers = headersIn(content, header.count);
  if (headers <= MAX_BATCH_HEADERS) {
    if (budget.spend({ bytes, records: header.count, headers })) return content;
    throw new LeftOutError();
  }
  if (!budget.spend({ bytes, records: header.count })) throw new LeftOutError();
  return recordsInstead(header, TOO_MANY_HEADERS);
}

function contentInstead(packed: Buffer, name: string, error: unknown, { budget, header }: Of): Buffer {
  const isTooLarge = error instanceof BatchTooLargeError;
  if (isTooLarge && error.limit < MAX_UNPACKED_BYTES) {
    // The unpacked size is unknown. Unpacking other partitions would only add to the work.
    if (error.unpackedBytes > 0) budget.endUnpacking();
    throw new LeftOutError();
  }
  if (!header) throw error;
  const bytes = isTooLarge ? error.unpackedBytes : Math.min(budget.bytesOfBatch, packed.length * MAX_RATIO);
  if (!budget.spend({ bytes, records: header.count })) throw new LeftOutError();
  return recordsInstead(header, isTooLarge ? error.message : `the batch is no sound ${name}`);
}
