import { asked } from '../../test/order-story.js';
import { type JournalRecord, RECORD_KINDS } from './records.js';
import { mayWrite, NotWrittenYetError, recordWriter, RULES, WRITTEN_SINCE } from './versions.js';

const rows = Object.entries(WRITTEN_SINCE).flatMap(([kind, fields]) =>
  Object.entries(fields).map(([field, since]) => [kind, field, since] as const),
);

it('has a row for every kind, and versions that exist', () => {
  expect(Object.keys(WRITTEN_SINCE)).toEqual(RECORD_KINDS);
  for (const [, , since] of rows) expect(RULES.versions).toContain(since);
});

// A record of every kind with every field that the table names, under every version.
it.each(RULES.versions.flatMap((version) => RECORD_KINDS.map((kind) => [version, kind] as const)))(
  'version %i: a %s has the fields that older releases can read',
  (version, kind) => {
    const fields = Object.entries(WRITTEN_SINCE[kind]);
    const whole = {
      ...Object.fromEntries(fields.map(([name]) => [name, name])),
      rulesVersion: 1,
      record: kind,
    } as unknown as JournalRecord;
    expect(mayWrite(kind, version)).toBe(WRITTEN_SINCE[kind].record <= version);
    if (!mayWrite(kind, version)) return expect(() => recordWriter(version)(whole)).toThrow(NotWrittenYetError);
    const kept = fields.filter(([, since]) => since <= version).map(([name]) => name);
    const { rulesVersion, ...written } = recordWriter(version)(whole);
    expect(rulesVersion).toBe(version);
    expect(Object.keys(written).sort()).toEqual(kept.sort());
  },
);

describe('a kind and a field of version 2', () => {
  const since = {
    ...WRITTEN_SINCE,
    REPEATED: { ...WRITTEN_SINCE.REPEATED, record: 2 },
    INTENT: { ...WRITTEN_SINCE.INTENT, tag: 2 },
  };

  it('are not written under version 1: the field is left out, the kind refused', () => {
    const write = recordWriter(1, since);
    expect(write(asked('authorize'))).not.toHaveProperty('tag');
    expect(mayWrite('REPEATED', 1, since)).toBe(false);
    const repeated = {
      record: 'REPEATED',
      rulesVersion: 1,
      merchant: 'shop-fr',
      orderId: 'o',
      at: '',
      commandId: 'a',
    } as const;
    expect(() => write(repeated)).toThrow(NotWrittenYetError);
    const message = 'REPEATED is not written under rules version 1';
    expect(() => write(repeated)).toThrow(expect.objectContaining({ name: 'NotWrittenYetError', message }));
  });

  it('that no table names is never written', () => {
    expect(mayWrite('PAID', 99, since)).toBe(false);
    const paid = { ...asked('authorize'), record: 'PAID' } as never;
    expect(() => recordWriter(99, since)(paid)).toThrow(NotWrittenYetError);
  });

  it('are written under version 2, and the record that was given stays as it is', () => {
    const intent = asked('authorize');
    expect(recordWriter(2, since)(intent)).toEqual({ ...intent, rulesVersion: 2 });
    expect(recordWriter(1, since)(intent)).not.toBe(intent);
    expect(intent).toHaveProperty('tag');
    expect(mayWrite('REPEATED', 2, since)).toBe(true);
  });
});
