/**
 * Asks the registry about the installed packages: are their signatures valid, and do those that services run have known vulnerabilities?
 */

/** A registry that cannot be reached must not delay the check, so npm neither retries nor waits long. */
const QUICKLY = ['--json', '--fetch-retries=0', '--fetch-timeout=10000'];
export const AUDITS = [
  { name: 'signatures of packages', args: ['audit', 'signatures', ...QUICKLY], read: signatures },
  { name: 'known vulnerabilities', args: ['audit', '--omit=dev', ...QUICKLY], read: vulnerabilities },
];

const WORTH_STOPPING = new Set(['high', 'critical']);

/** Returns `{ faults }`, or `{ skipped }` with the reason why the registry could not be asked. */
function signatures(output) {
  const { invalid, missing, error } = parsed(output);
  if (invalid === undefined) return { skipped: reasonOf(error) };
  const named = (packages, what) => packages.map(({ name, version }) => `${name}@${version}: ${what}`);
  return { faults: [...named(invalid, 'its signature does not fit'), ...named(missing ?? [], 'it has no signature')] };
}

function vulnerabilities(output) {
  const { vulnerabilities: found, error } = parsed(output);
  if (found === undefined) return { skipped: reasonOf(error) };
  return {
    faults: Object.values(found)
      .filter(({ severity }) => WORTH_STOPPING.has(severity))
      .map(({ name, severity, range }) => `${name} ${range}: ${severity}`),
  };
}

function parsed(output) {
  try {
    return JSON.parse(output);
  } catch {
    return {};
  }
}

const reasonOf = (error) =>
  `the registry offers none, or can not be asked${error?.summary ? ` (${error.summary})` : ''}`;
