// Asks each service for its health and metrics; `helm test` runs it. Arguments: for how many seconds to try, then addresses of management ports.
const [seconds, ...addresses] = process.argv.slice(1);
const until = Date.now() + 1000 * Number(seconds);

async function fault(url, text) {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(5000) });
    const body = await answer.text();
    if (answer.ok && body.includes(text)) return;
    return `${url}: ${answer.status} ${body.slice(0, 300)}`;
  } catch (error) {
    return `${url}: ${error.cause?.code ?? error.message}`;
  }
}

let faults;
do {
  if (faults) await new Promise((next) => setTimeout(next, 1000));
  const asked = addresses.flatMap((address) => [
    fault(`${address}/health/ready`, ''),
    fault(`${address}/metrics`, 'tranche_build_info'),
  ]);
  faults = (await Promise.all(asked)).filter(Boolean);
} while (faults.length > 0 && Date.now() < until);
for (const line of faults) console.error(line);
console.log(`${addresses.length} services asked, ${faults.length} wrong answers`);
process.exitCode = faults.length > 0 ? 1 : 0;
