import { spawnSync } from 'node:child_process';

it('the SBOM names what the services load, each with licence and digest, and nothing that only develops them', () => {
  const { status, stdout } = spawnSync('npm', ['run', '--silent', 'sbom'], { encoding: 'utf8', maxBuffer: 2 ** 26 });
  expect(status).toBe(0);
  const { bomFormat, components } = JSON.parse(stdout);
  expect(bomFormat).toBe('CycloneDX');
  const others = components.filter(({ purl }) => !purl.includes('%40tranche'));
  const names = others.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['kafkajs', 'fastify', 'class-validator', 'oauth4webapi']));
  expect(names.filter((name) => /^(jest|nx|eslint|typescript|playwright-core)$/.test(name))).toEqual([]);
  for (const one of others)
    expect(one).toMatchObject({
      purl: expect.stringMatching(/^pkg:npm\//),
      hashes: [{ alg: 'SHA-512' }],
      licenses: [expect.anything()],
    });
});
