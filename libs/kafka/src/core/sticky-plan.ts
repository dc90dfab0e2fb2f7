export type Partitions = Record<string, number[]>;

export interface Member {
  readonly memberId: string;
  /** The member's partitions before this join. May be out of date, and may contain partitions that other members claim too. */
  readonly owned: Partitions;
  /** False: it gets partitions only if no member can work. */
  readonly canWork?: boolean;
}

interface Share extends Member {
  readonly plan: Partitions;
  extras: number;
}

/**
 * Assigns the partitions: per topic, and over all topics, members that can work differ by at most one partition. Within that, each member
 * keeps its partitions. The plan does not depend on the order of the members.
 */
export function stickyPlan(members: readonly Member[], topics: Partitions): Map<string, Partitions> {
  const sorted = [...members].sort((a, b) => (a.memberId < b.memberId ? -1 : 1));
  const all: Share[] = sorted.map((member) => ({ ...member, plan: {}, extras: 0 }));
  const able = all.filter(({ canWork }) => canWork !== false);
  const shares = able.length > 0 ? able : all;
  for (const [topic, partitions] of Object.entries(topics).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const free = new Set(partitions);
    const base = Math.floor(partitions.length / shares.length);
    const claims = new Map(
      shares.map((share) => [share, [...new Set(share.owned[topic])].filter((partition) => free.has(partition))]),
    );
    const quota = new Map(shares.map((share) => [share, base]));
    // The members that owned most keep the extra partitions, as long as their total stays within the bound.
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
  return new Map(all.map(({ memberId, plan }) => [memberId, plan]));
}

/**
 * Assigns partition N of every topic to one member, so that an order's records come to the same member from each topic. A member keeps N if it owned
 * partition N of a topic, unless another member claims it too.
 * @param count partitions from this number on go to the owner of their number modulo `count`
 */
export function numberPlan(members: readonly Member[], topics: Partitions, count = Infinity): Map<string, Partitions> {
  const numberOf = (partition: number) => partition % count;
  const numbersIn = (of: Partitions) => [...new Set(Object.values(of).flat().map(numberOf))].sort((a, b) => a - b);
  const numbers = numbersIn(topics);
  const owned = members.map((member) => ({ ...member, owned: { '': numbersIn(member.owned) } }));
  const plans = [...stickyPlan(owned, { '': numbers })].map(([memberId, plan]) => {
    const own = new Set(plan['']);
    const partitions = Object.entries(topics).map(
      ([topic, all]) => [topic, all.filter((one) => own.has(numberOf(one)))] as const,
    );
    return [memberId, Object.fromEntries<number[]>(partitions)] as const;
  });
  return new Map(plans);
}
