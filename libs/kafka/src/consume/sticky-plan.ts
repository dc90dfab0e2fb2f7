/** Topic → partitions. */
export type Partitions = Record<string, number[]>;

export interface Member {
  readonly memberId: string;
  /** What the member had before this join; it may name what it has no more, or what others claim as well. */
  readonly owned: Partitions;
}

interface Share extends Member {
  readonly plan: Partitions;
  /** Topics of which it has one more than others. */
  extras: number;
}

/**
 * Shares the partitions out: of each topic every member gets as many as any other, or one more, and so over all topics; within that
 * everybody keeps what it had. The same members give the same plan, in whatever order they are named.
 */
export function stickyPlan(members: readonly Member[], topics: Partitions): Map<string, Partitions> {
  const sorted = [...members].sort((a, b) => (a.memberId < b.memberId ? -1 : 1));
  const shares: Share[] = sorted.map((member) => ({ ...member, plan: {}, extras: 0 }));
  for (const [topic, partitions] of Object.entries(topics).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const free = new Set(partitions);
    const base = Math.floor(partitions.length / shares.length);
    const claims = new Map(
      shares.map((share) => [share, [...new Set(share.owned[topic])].filter((partition) => free.has(partition))]),
    );
    const quota = new Map(shares.map((share) => [share, base]));
    // Who had more than the others keeps one of them, as long as that leaves it with no more in all.
    const byClaim = [...shares].sort((a, b) => a.extras - b.extras || claims.get(b)!.length - claims.get(a)!.length);
    for (const share of byClaim.slice(0, partitions.length % shares.length)) {
      share.extras++;
      quota.set(share, base + 1);
    }
    for (const share of shares) {
      share.plan[topic] = claims
        .get(share)!
        .filter((partition) => free.has(partition))
        .slice(0, quota.get(share));
      for (const partition of share.plan[topic]) free.delete(partition);
    }
    const rest = [...free];
    for (const share of shares)
      share.plan[topic]!.push(...rest.splice(0, quota.get(share)! - share.plan[topic]!.length));
    for (const share of shares) share.plan[topic]!.sort((a, b) => a - b);
  }
  return new Map(shares.map(({ memberId, plan }) => [memberId, plan]));
}
