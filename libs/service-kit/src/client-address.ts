import { BlockList, isIP, SocketAddress } from 'node:net';

export type IsProxy = (address: string) => boolean;

/** Reads comma-separated addresses and networks: `10.0.0.7`, `10.0.0.0/8`, `fd00::/8`. */
export function readProxies(text: string): IsProxy {
  const proxies = new BlockList();
  for (const item of text.split(',').map((entry) => entry.trim())) {
    const [address = '', bits, ...more] = item.split('/');
    const version = isIP(address);
    const type = version === 6 ? 'ipv6' : 'ipv4';
    const most = version === 6 ? 128 : 32;
    const prefix = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : -1;
    if (version === 0 || more.length > 0 || prefix < 0 || prefix > most) {
      throw new Error('has an entry that is neither an address nor a network, as in 10.0.0.0/8');
    }
    proxies.addSubnet(address, prefix, type);
  }
  return (address) => {
    const version = isIP(address);
    return version !== 0 && proxies.check(address, version === 6 ? 'ipv6' : 'ipv4');
  };
}

function isAddress(text: string): boolean {
  return isIP(text) !== 0;
}

/** Forms that proxies write: IPv4, or IPv6 in brackets, with a port. */
const IPV4_WITH_PORT = /^([\d.]+):\d+$/;
const IPV6_IN_BRACKETS = /^\[([^\]]*)\](?::\d+)?$/;
const GROUPS = 8;

/**
 * The client's address. `X-Forwarded-For` is trusted only as far as our proxies wrote it: from its end to the first address that is not a
 * proxy of ours. The client may have forged everything before that. Text that is no address ends the search.
 */
export function clientAddress(peer: string, forwardedFor: string | undefined, isProxy: IsProxy | undefined): string {
  let address = plain(peer);
  if (isProxy === undefined || forwardedFor === undefined) return address;
  const hops = forwardedFor
    .split(',')
    .map((hop) => plain(hop.trim().replace(IPV4_WITH_PORT, '$1').replace(IPV6_IN_BRACKETS, '$1')));
  for (let hop = hops.pop(); hop !== undefined && isAddress(hop) && isProxy(address); hop = hops.pop()) address = hop;
  return address;
}

/** `https` if our proxy reports it for every hop; otherwise `http`, which is what this process receives. */
export function forwardedProtocol(
  peer: string,
  forwarded: string | string[] | undefined,
  isProxy: IsProxy,
): 'http' | 'https' {
  const hops = String(forwarded ?? '')
    .split(',')
    .map((hop) => hop.trim().toLowerCase());
  return isProxy(plain(peer)) && hops.every((hop) => hop === 'https') ? 'https' : 'http';
}

/** True for this machine, such as a proxy in the same pod. */
export const isLoopbackAddress = (address: string): boolean => /^127\.|^::1$/.test(plain(address));

/** The key for counting requests of an address. An IPv6 network gives each customer at least 2⁶⁴ addresses, so they count as one. */
export function countedAs(address: string): string {
  const plainly = plain(address);
  if (!plainly.includes(':')) return plainly;
  const [front = [], back = []] = plainly.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = Array<string>(Math.max(0, GROUPS - front.length - back.length)).fill('0');
  return `${[...front, ...zeros, ...back].slice(0, 4).join(':')}::/64`;
}

/** Normalises the text of an IPv6 address, and turns an IPv4 address that is written as one into an IPv4 address. */
function plain(address: string): string {
  if (!address.includes(':') || !isAddress(address)) return address;
  const { address: short } = new SocketAddress({ address: address.split('%', 1)[0], family: 'ipv6' });
  return short.replace(/^::ffff:(?=.*\.)/, '');
}
