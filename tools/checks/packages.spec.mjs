import { AUDITS } from './packages.mjs';

const [signatures, vulnerabilities] = AUDITS;

it('names packages whose signature does not fit, and those without one', () => {
  const output = JSON.stringify({
    invalid: [{ name: 'a', version: '1.0.0' }],
    missing: [{ name: 'b', version: '2.0.0' }],
  });
  expect(signatures.read(output)).toEqual({
    faults: ['a@1.0.0: its signature does not fit', 'b@2.0.0: it has no signature'],
  });
  expect(signatures.read('{"invalid":[],"missing":[]}')).toEqual({ faults: [] });
});

it('names what is known to be highly vulnerable, and nothing less', () => {
  const one = (name, severity) => ({ name, severity, range: '<2' });
  const found = { a: one('a', 'high'), b: one('b', 'moderate'), c: one('c', 'critical') };
  expect(vulnerabilities.read(JSON.stringify({ vulnerabilities: found }))).toEqual({
    faults: ['a <2: high', 'c <2: critical'],
  });
});

it.each([
  ['that offers no signatures', '{"error":{"summary":"No dependencies found with registry keys"}}', 'registry keys'],
  ['that can not be reached', 'npm error', 'can not be asked'],
])('skips a registry %s, and says why', (_which, output, reason) => {
  for (const { read } of AUDITS) expect(read(output)).toEqual({ skipped: expect.stringContaining(reason) });
});
