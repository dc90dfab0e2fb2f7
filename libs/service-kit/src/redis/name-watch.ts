import dns from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';

const LOOK_EVERY_MS = 2_000;
/** The shorter interval while DNS answers lack the connected addresses. */
const LOOK_AGAIN_MS = 500;
/**
 * Number of consecutive look-ups without the connected addresses (10 s) that count as a move. Fewer are not enough: resolvers may disagree
 * for a moment, and some return one of several addresses at a time.
 */
const ABSENT_LOOKS = 20;

/** Detects that a server's name resolves to other addresses than the connected one. */
export interface NameWatch {
  /** Look-up function for the connection's socket, which records its addresses; a separate look-up may return others. */
  readonly lookup: LookupFunction;
  /** Calls `onMoved` at most once, with the new addresses. Returns the function that stops it; a later answer is dropped. */
  start(this: void, onMoved: (addresses: string) => void): () => void;
}

/** Returns undefined for an IP address, which cannot move. */
export function watchName(host: string): NameWatch | undefined {
  if (isIP(host) !== 0) return undefined;
  let connectedTo: string[] = [];
  return {
    lookup: (name, options, done) =>
      dns.lookup(name, options, (error, found, family) => {
        if (error === null) connectedTo = Array.isArray(found) ? found.map(({ address }) => address) : [found];
        done(error, found, family);
      }),
    start: (onMoved) => {
      let isStopped = false;
      let absentLooks = 0;
      const look = async () => {
        const addresses = await addressesOf(host);
        if (isStopped) return;
        if (addresses !== undefined)
          absentLooks = addresses.some((address) => connectedTo.includes(address)) ? 0 : absentLooks + 1;
        if (addresses !== undefined && absentLooks >= ABSENT_LOOKS) onMoved(addresses.join(', '));
        else lookLater();
      };
      let timer: NodeJS.Timeout;
      const lookLater = () => {
        timer = setTimeout(() => void look(), absentLooks > 0 ? LOOK_AGAIN_MS : LOOK_EVERY_MS).unref();
      };
      lookLater();
      return () => {
        isStopped = true;
        clearTimeout(timer);
      };
    },
  };
}

/** Undefined if the DNS does not answer: that is no sign of a move, and an open connection survives it. */
async function addressesOf(host: string): Promise<string[] | undefined> {
  try {
    return (await dns.promises.lookup(host, { all: true })).map(({ address }) => address);
  } catch {
    return undefined;
  }
}
