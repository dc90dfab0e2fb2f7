import { BlockList, isIP } from 'node:net';

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

export function isAddress(text: string): boolean {
  return isIP(text) !== 0;
}
