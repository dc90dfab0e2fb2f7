import { formAddress } from './platform.mjs';

it.each([
  ['<form method="post" action="http://127.0.0.1:4010/form/abc">', 'http://127.0.0.1:4010/form/abc'],
  ['<meta http-equiv="refresh" content="0;url=http://127.0.0.1:4010/form/abc">', 'http://127.0.0.1:4010/form/abc'],
  ["<a href='https://provider.example/f?a=1&amp;b=2'>", 'https://provider.example/f?a=1&b=2'],
  ['<a href="http://p.example/f?a=1&#38;b=2">', 'http://p.example/f?a=1&b=2'],
])('%s', (html, address) => {
  expect(formAddress(html)).toBe(address);
});

it('says so when the page leads nowhere', () => {
  expect(() => formAddress('<p>hello</p>')).toThrow('REDIRECTHTML leads nowhere');
});
