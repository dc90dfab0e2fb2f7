import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { repositoryRoot } from '@tranche/testing';
import type { Scenario } from '../scenario.js';
import type { Stage } from '../stage.js';

/**
 * notification-ingest has a wrong key, so it refuses everything and puts it into quarantine. With the right key, the quarantined
 * notifications are verified again, and the platform's retries are accepted.
 */
export const wrongKeyScenario: Scenario = {
  name: 'wrong-key-then-corrected',
  fault: 'wrong key, then corrected',
  weight: 2,
  async run(stage, load) {
    await stage.ingest?.stop();
    await stage.ready(
      await stage.startIngest({
        env: { MERCHANTS_FILE: stage.surroundings.merchantsFileWith({ notificationKey: 'not-the-key' }) },
      }),
    );
    await stage.readyGateway();
    load.start();
    await delay(4_000);
    await stage.ingest?.stop();
    await stage.ready(await stage.startIngest());
    await reverify(stage);
    stage.faultEnded();
  },
};

async function reverify(stage: Stage): Promise<void> {
  const main = join(repositoryRoot(), 'apps/notification-ingest/dist/quarantine/main.js');
  const env = { ...process.env, ...stage.surroundings.ingest() };
  await new Promise<void>((resolve, reject) => {
    execFile(
      process.execPath,
      [main, 'reverify'],
      { env, cwd: repositoryRoot(), timeout: 60_000 },
      (error, stdout, stderr) => {
        if (error) reject(new Error(`quarantine reverify: ${error.message}\n${stdout}${stderr}`));
        else resolve();
      },
    );
  });
}
