/**
 * Key under which an address is counted. An IPv6 customer usually has at least 2⁶⁴ addresses, so a /64 counts as one. An IPv4-mapped IPv6
 * address counts as its IPv4 address.
 */
export function addressKey(address: string): string {
  const ipv4 = /^::ffff:([0-9.]+)$/i.exec(address)?.[1];
  if (ipv4 !== undefined) return ipv4;
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('%', 1)[0]!.toLowerCase().split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - front.length - back.length) }, () => '0');
  const groups = [...front, ...zeros, ...back].slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ''));
  return `${groups.join(':')}::/64`;
}
