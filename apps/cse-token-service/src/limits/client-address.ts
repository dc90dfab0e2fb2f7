import { isAddress, type IsProxy } from './proxies.config.js';

const IPV4_OVER_IPV6 = '::ffff:';
const IPV4_WITH_PORT = /^([\d.]+):\d+$/;

/**
 * Whose request it is. `X-Forwarded-For` counts only as far as proxies of ours wrote it: from its end up to the first address that is
 * none of them. What stands before that anybody may have written, and what is no address is nobody's.
 */
export function clientAddress(peer: string, forwardedFor: string | undefined, isProxy: IsProxy | undefined): string {
  let address = plain(peer);
  if (isProxy === undefined || forwardedFor === undefined) return address;
  const hops = forwardedFor.split(',').map((hop) => plain(hop.trim().replace(IPV4_WITH_PORT, '$1')));
  for (let hop = hops.pop(); hop !== undefined && isAddress(hop) && isProxy(address); hop = hops.pop()) address = hop;
  return address;
}

/** What an address counts as: a network of IPv6 gives each of its customers at least 2⁶⁴ addresses, so those count as one. */
export function countedAs(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('%', 1)[0]!.toLowerCase().split('::');
  const front = head.split(':').filter(Boolean);
  const back = (tail ?? '').split(':').filter(Boolean);
  const zeros = tail === undefined ? [] : new Array<string>(Math.max(0, 8 - front.length - back.length)).fill('0');
  const network = [...front, ...zeros, ...back].slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ''));
  return `${network.join(':')}::/64`;
}

/** An IPv4 address that came over IPv6 is itself. */
function plain(address: string): string {
  const isIpv4 = address.toLowerCase().startsWith(IPV4_OVER_IPV6) && address.includes('.');
  return isIpv4 ? address.slice(IPV4_OVER_IPV6.length) : address;
}
