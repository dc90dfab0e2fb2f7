import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';

const read = (file) => readFileSync(file, 'utf8');
const { version, workspaces } = JSON.parse(read('package.json'));
const { packages } = JSON.parse(read('package-lock.json'));

it('every package, API document, the chart and the CHANGELOG have the version of the release', () => {
  const own = Object.keys(packages).filter((place) => place !== '' && !place.includes('node_modules/'));
  expect(own.length).toBeGreaterThan(workspaces.length);
  expect(own.map((place) => [place, JSON.parse(read(`${place}/package.json`)).version])).toEqual(
    own.map((place) => [place, version]),
  );
  const documents = own.flatMap((place) => [`${place}/openapi.json`, `${place}/asyncapi.json`]).filter(existsSync);
  expect(documents.length).toBeGreaterThan(4);
  expect(documents.map((file) => [file, JSON.parse(read(file)).info.version])).toEqual(
    documents.map((file) => [file, version]),
  );
  const chart = parse(read('deploy/helm/tranche/Chart.yaml'));
  expect([chart.version, chart.appVersion]).toEqual([version, version]);
  const [unreleased, newest] = [...read('CHANGELOG.md').matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
  expect([unreleased, newest]).toEqual(['Unreleased', expect.stringMatching(`^${version} – \\d{4}-\\d\\d-\\d\\d$`)]);
});
