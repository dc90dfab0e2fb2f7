import { validateCommandData } from '@tranche/contracts';

/** CLIENTIP must be a public IPv4 address; `standIn` is for browsers that come from none (this machine, a private network, IPv6). */
export function clientIpOf(address: string, standIn: string): string {
  const ipv4 = address.replace(/^::ffff:/i, '');
  return isPublicIpv4(ipv4) ? ipv4 : standIn;
}

/** The contracts' own rule, so that no address passes here and is refused there. */
function isPublicIpv4(ip: string): boolean {
  const { faults } = validateCommandData('card', 'payment.pay', { client: { ip } });
  return !faults.some(({ path }) => path === 'client.ip');
}
