import { supportedNodes } from './nodes.mjs';

it('the versions of Node.js that are supported come from package.json', () => {
  expect(supportedNodes('^20.19.0 || ^22.13.0 || >=24.11.0')).toEqual([
    { major: 20, range: '^20.19.0' },
    { major: 22, range: '^22.13.0' },
    { major: 24, range: '^24.11.0' },
  ]);
  expect(supportedNodes().length).toBeGreaterThan(0);
});

it('a range of another form is an error', () => {
  expect(() => supportedNodes('~20.19.0')).toThrow('engines: "~20.19.0" is not of the form');
});
