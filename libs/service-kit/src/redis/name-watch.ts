import dns from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';

const LOOK_EVERY_MS = 2_000;
/** While the addresses of the connection are absent from the answers, the next look comes sooner. */
const LOOK_AGAIN_MS = 500;
/**
 * So many looks in a row must lack the addresses of the connection, which takes 10 s. Fewer are not enough: resolvers may disagree for
 * a moment, and some answer with one of several addresses at a time, in turn or at random.
 */
const ABSENT_LOOKS = 20;

/** Notices that the name of a server stands for other addresses than the one that is connected to. */
export interface NameWatch {
  /** For the connection's socket, so that its addresses are known: those of another look-up may be others. */
  readonly lookup: LookupFunction;
  /** Calls `onMoved` at most once, with the new addresses. Returns how to stop: an answer that comes later is dropped. */
  start(this: void, onMoved: (addresses: string) => void): () => void;
}

/** `undefined` for an address, which cannot move. */
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

/** `undefined` where the DNS does not answer: that is no sign of a move, and an open connection outlives such a fault. */
async function addressesOf(host: string): Promise<string[] | undefined> {
  try {
    return (await dns.promises.lookup(host, { all: true })).map(({ address }) => address);
  } catch {
    return undefined;
  }
}
