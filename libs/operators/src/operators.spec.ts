import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EntriesFileError } from '@tranche/contracts';
import { readServiceSettings } from '@tranche/service-kit';
import { loadOperators, OperatorsConfig } from './operators.config.js';
import { readOperators } from './operators.js';

const KEY = 'canary-key-of-32-characters-or-so';
const alice = { operator: 'alice', key: KEY };

function faultsOf(document: unknown, files: Record<string, string> = {}): string[] {
  try {
    readOperators(document, (path) => {
      const content = files[path];
      if (content === undefined) throw Object.assign(new Error('no'), { code: 'ENOENT' });
      return content;
    });
  } catch (error) {
    if (!(error instanceof EntriesFileError)) throw error;
    expect(error.message).not.toContain('canary');
    return error.faults.map(({ path, message }) => `${path} ${message}`);
  }
  return [];
}

describe('operators file', () => {
  it('reads operators, and never prints their keys', () => {
    const operators = readOperators([alice, { operator: 'bob.b-2', keyFile: 'bob' }], () => `${KEY}-of-bob\n`);
    expect(operators.map(({ operator }) => operator)).toEqual(['alice', 'bob.b-2']);
    expect(operators[1]?.key.reveal()).toBe(`${KEY}-of-bob`);
    expect(JSON.stringify(operators)).not.toContain('canary');
  });

  it.each([
    ['no list', {}, [' must be a JSON list of operators']],
    ['an empty list', [], [' must be a JSON list of operators']],
    ['a short key', [{ ...alice, key: 'x'.repeat(31) }], ['[0].key must be 32 to 256 visible ASCII characters']],
    ['a key of just enough', [{ ...alice, key: 'x'.repeat(32) }], []],
    ['an unknown field', [{ ...alice, more: 1 }], ['[0].more is not a field of this request']],
    ['a key and a file', [{ ...alice, keyFile: 'f' }], ['[0].keyFile stands beside key: give one of them']],
    ['a missing key file', [{ operator: 'alice', keyFile: 'none' }], ['[0].keyFile cannot be read (ENOENT)']],
    ['a key file that is no text', [{ operator: 'alice', keyFile: 1 }], ['[0].keyFile must be a text']],
    [
      'the same name and key again',
      [alice, alice],
      ['[1].operator is that of an earlier entry too', '[1].key is that of an earlier entry too'],
    ],
  ])('finds %s', (_, document, faults) => {
    expect(faultsOf(document)).toEqual(faults);
  });

  it('reads roles, merchants and an end; a key without a role may only look', () => {
    const notAfter = '2026-12-31T00:00:00Z';
    const list = [
      { ...alice, role: 'operator', merchants: ['shop-fr'], notAfter },
      { operator: 'bob', keyFile: 'bob' },
    ];
    const [first, second] = readOperators(list, () => `${KEY}-of-bob`);
    expect(first).toMatchObject({ role: 'operator', merchants: ['shop-fr'], notAfterMs: Date.parse(notAfter) });
    expect(second).toMatchObject({ role: 'viewer', person: 'bob', isPersonMissing: true });
    expect(readOperators([{ ...alice, person: 'alice' }], () => '')[0]).not.toHaveProperty('isPersonMissing');
    expect(second).not.toHaveProperty('merchants');
    expect(second).not.toHaveProperty('notAfterMs');
  });

  it('refuses in production an entry without a role, each by its name', () => {
    const list = [alice, { operator: 'bob', key: `${KEY}-2`, role: 'viewer' }, { operator: 'carol', key: `${KEY}-3` }];
    const OPERATORS_FILE = join(mkdtempSync(join(tmpdir(), 'operators-')), 'operators.json');
    writeFileSync(OPERATORS_FILE, JSON.stringify(list));
    const faultsWith = (isProduction: boolean) =>
      readServiceSettings(OperatorsConfig, { OPERATORS_FILE }, { isProduction })
        .faults.filter(({ name }) => name === 'OPERATORS_FILE')
        .map(({ message }) => message);
    expect(faultsWith(true)).toEqual([
      'role of alice is missing: must be one of viewer, operator, approver',
      'role of carol is missing: must be one of viewer, operator, approver',
    ]);
    expect(faultsWith(false)).toEqual([]);
  });

  it('knows that two keys are one person', () => {
    const list = [alice, { operator: 'alice-2027', person: 'alice', keyFile: 'new' }];
    expect(readOperators(list, () => `${KEY}-2`).map(({ person }) => person)).toEqual(['alice', 'alice']);
  });

  it.each([
    ['role', 'admin'],
    ['merchants', []],
    ['merchants', 'shop-fr'],
    ['merchants', ['Shop']],
    ['notAfter', 'tomorrow'],
    ['notAfter', '2026-12-31'],
    ['notAfter', '2026-02-30T00:00:00Z'],
    ['person', 'Alice A'],
  ])('refuses an entry whose %s is %j', (field, value) => {
    const faults = faultsOf([{ ...alice, [field]: value }]);
    expect(faults).not.toEqual([]);
    for (const fault of faults) expect(fault.startsWith(`[0].${field} `)).toBe(true);
  });

  it('names every fault at once', () => {
    const faults = faultsOf([{ operator: 'Alice', key: 'short' }, null, { operator: 'bob' }]);
    expect(faults.map((fault) => fault.split(' ')[0]).sort()).toEqual([
      '[0].key',
      '[0].operator',
      '[1].key',
      '[1].operator',
      '[2].key',
    ]);
  });

  it('reads a file, its key files beside it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'operators-'));
    try {
      writeFileSync(join(folder, 'operators.json'), JSON.stringify([{ operator: 'alice', keyFile: 'alice.key' }]));
      writeFileSync(join(folder, 'alice.key'), `${KEY}\n`);
      expect(loadOperators(join(folder, 'operators.json'))[0]?.key.equals(KEY)).toBe(true);
      writeFileSync(join(folder, 'operators.json'), '[{"key":"canary');
      expect(() => loadOperators(join(folder, 'operators.json'))).toThrow(/operators\.json: is not JSON$/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('reads the demonstration file', () => {
    expect(
      loadOperators(join(__dirname, '../../../config/operators.demo.json')).map(({ operator, role }) => [
        operator,
        role,
      ]),
    ).toEqual([
      ['olga', 'operator'],
      ['demo', 'approver'],
      ['vera', 'viewer'],
    ]);
  });
});
