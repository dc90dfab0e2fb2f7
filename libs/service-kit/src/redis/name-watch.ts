import dns from 'node:dns';
import { isIP } from 'node:net';

/** Where a name may still stand for the server that is connected to, and where it does not any more. */
export interface NameWatch {
  /** The addresses of the name, where twice in a row none of them was one of those before: resolvers may disagree for a moment. */
  movedTo(this: void): Promise<string | undefined>;
}

/** To be made before the connection is. A name that cannot be resolved has not moved: an open connection outlives a fault of the DNS. */
export async function watchName(host: string): Promise<NameWatch | undefined> {
  if (isIP(host) !== 0) return undefined;
  let known = await addressesOf(host);
  let strangeTimes = 0;
  return {
    movedTo: async () => {
      const now = await addressesOf(host);
      known ??= now;
      if (now === undefined || known === undefined) return undefined;
      strangeTimes = now.some((address) => known?.includes(address)) ? 0 : strangeTimes + 1;
      return strangeTimes >= 2 ? now.join(', ') : undefined;
    },
  };
}

async function addressesOf(host: string): Promise<string[] | undefined> {
  try {
    return (await dns.promises.lookup(host, { all: true })).map(({ address }) => address);
  } catch {
    return undefined;
  }
}
