/** Lengths of the reason that a person gives for a decision. A job's is the reason of each item, with the item's evidence behind it. */
export const REASON = { least: 10, most: 500, mostOfJob: 300 } as const;

/** Says to people what a reason must be, before it is sent. */
export const reasonInWords = (most: number = REASON.most): string => `${REASON.least} to ${most} characters`;
