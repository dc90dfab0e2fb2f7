/** `npm run simulator`: the platform simulator alone; its settings are its environment (apps/platform-simulator/README.md). */
import { fileURLToPath } from 'node:url';
import { bootstrap } from './bootstrap.mjs';
import { Expected, runTool } from './processes.mjs';
import { createLog } from './progress.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

await runTool(
  async ({ held }) => {
    await bootstrap({ held, log: createLog() });
    const simulator = held.start(process.execPath, ['apps/platform-simulator/dist/main.js'], { onLine: (line) => console.log(line) });
    const code = await simulator.exited;
    if (code !== 0) throw new Expected(`the simulator ended with ${code}`);
  },
  { runsUntilStopped: true },
);
