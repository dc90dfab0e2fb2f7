import { hash } from 'node:crypto';
import { contentHash } from './content-hash.js';

describe('the hash of a command', () => {
  it('is the same whatever the order of its fields', () =>
    expect(contentHash('t', { a: 1, b: [{ c: 2, d: 3 }] })).toBe(contentHash('t', { b: [{ d: 3, c: 2 }], a: 1 })));

  it('is another for another content or type', () => {
    expect(contentHash('t', { a: 1 })).not.toBe(contentHash('t', { a: 2 }));
    expect(contentHash('t', { a: 1 })).not.toBe(contentHash('u', { a: 1 }));
  });

  const inForm = (form: string, names: string[]) =>
    contentHash('t', Object.fromEntries(names.map((name) => [name, 'é'.normalize(form)])));

  it('is the same in every form of Unicode for texts that are composed before they are sent', () => {
    const typed = ['description', 'firstName', 'lastName', 'address', 'city', 'companyName', 'name', 'brand', 'deliveryLabel', 'cardFullName']; // prettier-ignore
    expect(inForm('NFD', typed)).toBe(inForm('NFC', typed));
  });

  it.each(['extraData', 'metadata', 'orderId', 'id', 'merchantItemId', 'subMerchantExternalId'])(
    'is another for another form of %s, which is sent as given',
    (name) => expect(inForm('NFD', [name])).not.toBe(inForm('NFC', [name])),
  );

  it('is that of its JSON: a field without a value is none', () => {
    const content = { a: 1, b: undefined, c: [undefined, null, { d: undefined }] };
    expect(contentHash('t', content)).toBe(contentHash('t', JSON.parse(JSON.stringify(content))));
  });

  it('quotes every character as JSON.stringify does', () => {
    const different = Array.from({ length: 0x10000 }, (_, unit) => ({
      [`n${String.fromCharCode(unit)}`]: String.fromCharCode(unit),
    })).filter(
      (content) =>
        contentHash('t', content) !== hash('sha256', `t\n${JSON.stringify(content)}`, 'base64url').slice(0, 27),
    );
    expect(different).toEqual([]);
  });
});
