import { validateCommandData } from '@tranche/contracts';

/** CLIENTIP must be a public IPv4 address. `standIn` replaces any other address (this machine, a private network, IPv6). */
export function clientIpOf(address: string, standIn: string): string {
  const ipv4 = address.replace(/^::ffff:/i, '');
  return isPublicIpv4(ipv4) ? ipv4 : standIn;
}

/** Uses the contracts' own check, so that the two never disagree. */
function isPublicIpv4(ip: string): boolean {
  const { faults } = validateCommandData('card', 'payment.pay', { client: { ip } });
  return !faults.some(({ path }) => path === 'client.ip');
}
