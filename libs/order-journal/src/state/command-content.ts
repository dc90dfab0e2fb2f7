import type { OperationState } from './order-state.js';

/** So much of a content hash tells the contents of one command id apart. */
export const CARRIED_CONTENT = 12;

/** Whether the command came with this content. Of an operation that was carried over only the beginning of the hash is kept. */
export const hasContent = ({ contentHash }: Pick<OperationState, 'contentHash'>, hash: string): boolean =>
  contentHash === hash || (contentHash.length === CARRIED_CONTENT && hash.startsWith(contentHash));
