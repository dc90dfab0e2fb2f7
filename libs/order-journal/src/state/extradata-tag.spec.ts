import { operationTag, tagExtraData, untagExtraData } from './extradata-tag.js';

describe('the tag in EXTRADATA', () => {
  it.each([undefined, 'basket 7', 'a|b', 'é|tr1.x', 'x'.repeat(235)])(
    'comes back with the caller’s own value: %s [Transaction.EXTRADATA]',
    (callers) => {
      const { extraData, isTagged } = tagExtraData(callers, 'command-1', 12);
      expect(isTagged).toBe(true);
      expect([...extraData].length).toBeLessThanOrEqual(255);
      expect(untagExtraData(extraData)).toEqual({
        ...(callers === undefined ? {} : { extraData: callers }),
        tag: { operation: operationTag('command-1'), attempt: 12 },
      });
    },
  );

  it('has no room where both have 256 characters: the value of the caller goes alone', () => {
    const callers = 'x'.repeat(237);
    expect(tagExtraData(callers, 'command-1', 1)).toEqual({ extraData: callers, isTagged: false });
    expect(untagExtraData(callers)).toEqual({ extraData: callers });
  });

  it.each(['', undefined])('is absent in %p', (value) => {
    expect(untagExtraData(value)).toEqual({});
  });
});
