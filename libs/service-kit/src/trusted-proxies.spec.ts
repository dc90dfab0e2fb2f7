import { Controller, Get, Module, Req } from '@nestjs/common';
import { service } from '../test/shop-service.js';

@Controller()
class WhoAsks {
  @Get('address')
  address(@Req() { ip }: { ip: string }) {
    return { ip };
  }
}

@Module({ controllers: [WhoAsks] })
class WhoAsksModule {}

/** Returns the address that a route sees for a request from 127.0.0.1 with this header. */
async function addressSeen(proxies: string | undefined, forwardedFor?: string): Promise<string> {
  const { running } = service({ module: () => WhoAsksModule }, proxies === undefined ? {} : { TRUSTED_PROXIES: proxies }); // prettier-ignore
  await running.start();
  try {
    const headers = forwardedFor === undefined ? undefined : { 'x-forwarded-for': forwardedFor };
    const answer = await fetch(`http://127.0.0.1:${running.port}/address`, headers && { headers });
    return ((await answer.json()) as { ip: string }).ip;
  } finally {
    await running.stop('test');
  }
}

describe('the address that routes see', () => {
  it.each([
    ['without proxies, whatever the header says', undefined, '198.51.100.9', '127.0.0.1'],
    ['from somebody who is no proxy', '10.0.0.0/8', '198.51.100.9', '127.0.0.1'],
    ['from a proxy without the header', '127.0.0.0/8', undefined, '127.0.0.1'],
    ['as a proxy has written it', '127.0.0.0/8', '198.51.100.9', '198.51.100.9'],
    ['with a forged entry in front', '127.0.0.0/8', '6.6.6.6, 198.51.100.9', '198.51.100.9'],
    ['with a forged proxy in front', '127.0.0.0/8,10.0.0.0/8', '10.0.0.1, 198.51.100.9', '198.51.100.9'],
    ['through two proxies', '127.0.0.0/8,10.0.0.0/8', '6.6.6.6, 198.51.100.9, 10.0.0.1', '198.51.100.9'],
    ['with text that is no address', '127.0.0.0/8', 'unknown', '127.0.0.1'],
  ])('%s', async (_what, proxies, forwardedFor, seen) => {
    expect(await addressSeen(proxies, forwardedFor)).toBe(seen);
  });
});
