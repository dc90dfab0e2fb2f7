/** Progress is printed on stderr, so that stdout has only the tool's output. */
const STILL_MS = 10_000;

export function createLog({ write = (text) => process.stderr.write(text), clock = () => performance.now() } = {}) {
  const begun = clock();
  return (line) => write(`[${((clock() - begun) / 1000).toFixed(0).padStart(3)} s] ${line}\n`);
}

export async function during(what, log, work) {
  log(`${what} …`);
  const begun = performance.now();
  const seconds = () => `${((performance.now() - begun) / 1000).toFixed(0)} s`;
  const still = setInterval(() => log(`${what} … ${seconds()}`), STILL_MS);
  try {
    const result = await work();
    log(`${what}: done in ${seconds()}`);
    return result;
  } finally {
    clearInterval(still);
  }
}
