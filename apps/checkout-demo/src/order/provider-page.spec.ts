import { processorMs } from '@tranche/testing';
import { PROVIDER_PAGE_HEADERS, providerPage } from './provider.controller.js';

const base64 = (html: string) => Buffer.from(html).toString('base64');

it.each(['<!doctype html><html><body>é</body></html>', '\n<!-- x --><HTML lang="fr"></HTML>', '<html></html>'])(
  'a whole document stays as it is: %s',
  (html) => {
    expect(providerPage(base64(html))).toBe(html);
  },
);

it.each(['<form action="https://provider.example">é</form>', '', '<htmlish>'])(
  'a fragment is put into a document as it is: %s',
  (html) => {
    expect(providerPage(base64(html))).toContain(`<body data-testid="provider-form">${html}</body>`);
  },
);

it.each(['<!-- -->', '<!--', ' ', '<!---->\n'])('1 MB of %j is looked through in one pass', (piece) => {
  const html = `${piece.repeat(1_000_000 / piece.length)}x`;
  expect(processorMs(() => expect(providerPage(base64(html))).toContain(html))).toBeLessThan(2_000);
});

it('is shown in an opaque origin', () => {
  const policy = PROVIDER_PAGE_HEADERS['content-security-policy'];
  expect(policy).toMatch(/^sandbox /);
  expect(policy).not.toContain('allow-same-origin');
  expect(PROVIDER_PAGE_HEADERS['cross-origin-opener-policy']).toBe('unsafe-none');
});
