import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SERVICES = [
  'libs/service-kit',
  'libs/operators',
  'apps/auth-service',
  'apps/checkout-demo',
  'apps/cse-token-service',
  'apps/notification-ingest',
  'apps/operations',
  'apps/payment-gateway',
];
const sources = SERVICES.flatMap((project) =>
  readdirSync(join(project, 'src'), { recursive: true })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
    .map((file) => readFileSync(join(project, 'src', file), 'utf8')),
);

/** Matches `status: 404, code: 'not_found'` of a Problem, and `404: { code: 'not_found'` of service-kit's table. */
const THROWN = /(?:status: (\d{3}),\s*|(\d{3}): \{ )code: '(\w+)'/g;

it('docs/reference/error-codes.md lists every code of a problem with its status, and no other', () => {
  const thrown = sources.flatMap((text) =>
    [...text.matchAll(THROWN)].map(([, status, ofTable, code]) => `${status ?? ofTable} ${code}`),
  );
  const listed = [...readFileSync('docs/reference/error-codes.md', 'utf8').matchAll(/^\| (\d{3}) +\| `(\w+)`/gm)].map(
    ([, status, code]) => `${status} ${code}`,
  );
  const isOfManyStatuses = (row) => row === '400 bad_request';
  expect(listed.filter((row) => !isOfManyStatuses(row)).sort()).toEqual([...new Set(thrown)].sort());
});
