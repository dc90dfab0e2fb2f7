import { largestPauses } from './run-brokers.js';

it('tells the largest pause of each scenario, whichever run had it', () =>
  expect(
    largestPauses([
      { scenario: 'broker-killed', pauseSeconds: 20 },
      { scenario: 'broker-frozen', pauseSeconds: 15.2 },
      { scenario: 'broker-killed', pauseSeconds: 18 },
      { scenario: 'broker-frozen' },
    ]),
  ).toEqual({ 'broker-killed': 20, 'broker-frozen': 15.2 }));
