import { spawnSync } from 'node:child_process';

const sbom = (...args) =>
  spawnSync(process.execPath, ['tools/tranche.mjs', 'sbom', ...args], { encoding: 'utf8', maxBuffer: 2 ** 26 });

it('an SBOM of the gateway names what it loads, with licence and digest, and nothing that only develops it', () => {
  const { status, stdout } = sbom('--app', 'payment-gateway');
  expect(status).toBe(0);
  const { bomFormat, components } = JSON.parse(stdout);
  expect(bomFormat).toBe('CycloneDX');
  const others = components.filter(({ purl }) => !purl.includes('%40tranche'));
  const names = others.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['kafkajs', 'fastify', 'class-validator', 'oauth4webapi']));
  expect(names.filter((name) => /^(jest|nx|eslint|typescript|playwright-core)$/.test(name))).toEqual([]);
  for (const one of others)
    expect(one).toMatchObject({ purl: expect.stringMatching(/^pkg:npm\//), hashes: [{ alg: 'SHA-512' }] });
});

it('notices hold the text of each licence', () => {
  const { status, stdout } = sbom('--app', 'payment-gateway', '--notices');
  expect(status).toBe(0);
  expect(stdout).toMatch(/^kafkajs@2\.2\.4: MIT\n\n[^]*?Permission is hereby granted/m);
});

it('an app that does not exist is named', () => {
  const { status, stderr } = sbom('--app', 'nope');
  expect(status).toBe(2);
  expect(stderr).toContain('--app must be one of');
});
