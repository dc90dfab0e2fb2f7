import { clientAddress, countedAs } from './client-address.js';
import { readProxies } from './proxies.config.js';

const isProxy = readProxies('10.0.0.0/8, 192.0.2.7,fd00::/8');

describe('whose request it is', () => {
  it.each<[string, string | undefined, string]>([
    ['203.0.113.1', undefined, '203.0.113.1'],
    ['203.0.113.1', '198.51.100.9', '203.0.113.1'],
    ['10.1.2.3', '198.51.100.9', '198.51.100.9'],
    ['10.1.2.3', '6.6.6.6, 198.51.100.9', '198.51.100.9'],
    ['10.1.2.3', '6.6.6.6, 198.51.100.9, 192.0.2.7', '198.51.100.9'],
    ['::ffff:10.1.2.3', '198.51.100.9', '198.51.100.9'],
    ['fd00::1', '2001:db8::1', '2001:db8::1'],
    ['10.1.2.3', undefined, '10.1.2.3'],
    ['10.1.2.3', '10.9.9.9', '10.9.9.9'],
    ['10.1.2.3', 'nonsense', '10.1.2.3'],
    ['10.1.2.3', '198.51.100.9, 4111111111111111', '10.1.2.3'],
    ['10.1.2.3', '198.51.100.9:5678', '198.51.100.9'],
    ['10.1.2.3', '', '10.1.2.3'],
  ])('of %s, forwarded for %s: %s', (peer, forwarded, address) => expect(clientAddress(peer, forwarded, isProxy)).toBe(address));

  it('is its own without proxies', () => expect(clientAddress('10.1.2.3', '198.51.100.9', undefined)).toBe('10.1.2.3'));

  it.each([
    ['203.0.113.1', '203.0.113.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
    ['2001:0db8:0001::6', '2001:db8:1:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ])('%s counts as %s', (address, counted) => expect(countedAs(address)).toBe(counted));
});

it.each(['', '10.0.0.0/33', '10.0.0.0/x', 'proxy.example', '10.0.0.0/8/8', 'fd00::/129', '10.0.0.1,'])('%j are no proxies', (text) =>
  expect(() => readProxies(text)).toThrow('neither an address nor a network'),
);
