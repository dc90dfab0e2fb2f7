import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Expected } from '../infra/processes.mjs';
import { oneOf } from './values.mjs';

/** A function, because `--help` must work without the folder. */
const apps = () => readdirSync('apps');
const LICENCE = /^(licen[cs]e|notice|copying)([.-]|$)/i;

export const description = 'prints what an image holds of others: an SBOM (CycloneDX), or their licences';
export const options = {
  app: {
    value: 'NAME',
    help: 'of one app alone (default: of all, as the image has them)',
    check: (name) => oneOf(apps())(name),
  },
  notices: { help: 'prints names, versions and texts of the licences instead' },
};
export const exitCodes = { 0: 'printed', 1: 'npm failed, or a package names no licence; its name is told' };

export async function run({ options: { app, notices }, held }) {
  const bill = await billOf(held, app);
  const others = bill.components.filter(({ 'bom-ref': name }) => !name.startsWith('@tranche/'));
  const unlicensed = others.filter(({ licenses = [] }) => licenses.length === 0);
  if (unlicensed.length > 0)
    throw new Expected(`no licence is named by ${unlicensed.map((one) => one['bom-ref']).join(', ')}`);
  console.log(notices ? others.map(noticeOf).join('\n') : JSON.stringify(bill, null, 2));
}

/**
 * `--omit dev` is missing on purpose: with it, npm 10 drops packages that are also a peer of another one, and apps have no dev
 * dependencies.
 */
async function billOf(held, app) {
  const lines = [];
  const onLine = (line, from) => from === 'stdout' && lines.push(line);
  const where = (app === undefined ? apps() : [app]).flatMap((name) => ['--workspace', `apps/${name}`]);
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', ...where];
  const exitCode = await held.start('npm', args, { onLine }).exited;
  if (exitCode !== 0) throw new Expected(`npm sbom ended with ${exitCode}: run \`npm ci\` first`);
  return JSON.parse(lines.join('\n'));
}

function noticeOf({ 'bom-ref': name, name: folder, licenses }) {
  const named = licenses.map(({ license, expression }) => expression ?? license.id ?? license.name).join(', ');
  const place = join('node_modules', folder);
  const files = existsSync(place) ? readdirSync(place).filter((file) => LICENCE.test(file)) : [];
  const texts = files.map((file) => readFileSync(join(place, file), 'utf8').trim());
  return [`${'='.repeat(80)}\n${name}: ${named}`, ...texts, ''].join('\n\n');
}
