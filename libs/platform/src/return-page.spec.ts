import { notifiedResult } from './notification.js';
import { hasRoomForReturnPage, returnPageIn, withReturnPage, withoutReturnPage } from '@tranche/contracts';
import { listedTransaction } from './look-up.js';
import { aNotification } from '@tranche/testing';

const TAG = 'tr1.AAAAAAAAAAAA.1';

describe('the name of a return page behind EXTRADATA', () => {
  it.each([
    ['with a value of the caller and a tag', 'basket=42', `|${TAG}`],
    ['with a value of the caller', 'basket=42', ''],
    ['with a tag', undefined, `|${TAG}`],
    ['alone', undefined, ''],
  ])('%s is read back and taken away [Ours.return-page]', (_what, callers, tag) => {
    const sent = `${withReturnPage(callers, 'app-2') ?? ''}${tag}`;
    expect(returnPageIn(sent)).toBe('app-2');
    expect(withoutReturnPage(sent)).toBe([callers, tag.slice(1)].filter(Boolean).join('|') || undefined);
  });

  it.each([
    undefined,
    '',
    'basket=42',
    `basket=42|${TAG}`,
    'rp1.APP',
    'a-rp1.app',
    'rp1.app|x',
    `|rp1.app|tr1.short.1`,
    `rp1.${'x'.repeat(33)}`,
  ])('%j has none and stays as it is', (extraData) => {
    expect(returnPageIn(extraData)).toBeUndefined();
    expect(withoutReturnPage(extraData)).toBe(extraData);
  });

  it('is in no evidence: neither of a notification nor of a look-up', () => {
    const returned = `basket=42|rp1.app|${TAG}`;
    expect(notifiedResult(aNotification({ extraData: returned })).extraData).toBe(`basket=42|${TAG}`);
    const row = new Map([
      ['EXECCODE', '0000'],
      ['TRANSACTIONID', 'T1'],
      ['EXTRADATA', returned],
    ]);
    expect(listedTransaction(row)?.extraData).toBe(`basket=42|${TAG}`);
  });

  it('has room where the longest tag goes behind it as well', () => {
    const tag = '|tr1.AAAAAAAAAAAA.999999';
    const longest = 'é'.repeat(255 - '|rp1.app'.length - tag.length);
    expect(hasRoomForReturnPage(longest, 'app')).toBe(true);
    expect([...`${withReturnPage(longest, 'app') ?? ''}${tag}`]).toHaveLength(255);
    expect(hasRoomForReturnPage(`${longest}é`, 'app')).toBe(false);
  });
});
