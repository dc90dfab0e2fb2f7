import { faultsOf } from './verify.mjs';

it('names packages whose signature does not fit, and those without one', () => {
  const output = { invalid: [{ name: 'a', version: '1.0.0' }], missing: [{ name: 'b', version: '2.0.0' }] };
  expect(faultsOf(JSON.stringify(output))).toEqual([
    'a@1.0.0: its signature does not fit',
    'b@2.0.0: it has no signature',
  ]);
  expect(faultsOf('{"invalid":[],"missing":[]}')).toEqual([]);
});

it('names what is known to be highly vulnerable, and nothing less', () => {
  const one = (name, severity) => ({ name, severity, range: '<2' });
  const vulnerabilities = { a: one('a', 'high'), b: one('b', 'moderate'), c: one('c', 'critical') };
  expect(faultsOf(JSON.stringify({ vulnerabilities }))).toEqual(['a <2: high', 'c <2: critical']);
});

it.each(['{"error":{"summary":"No dependencies found with registry keys"}}', 'npm error'])(
  'skips a registry that says %s',
  (output) => {
    expect(faultsOf(output)).toBeUndefined();
  },
);
