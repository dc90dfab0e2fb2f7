import { connectBrowser, startChromium, type TestBrowser } from '../browser.js';
import { stage } from './stage.js';
import type { StageDefinition } from './stage-keeper.js';

/** A host of this machine other than localhost, whose HTTP pages are an insecure context. */
const INSECURE_HOST = '--host-resolver-rules=MAP shop.test 127.0.0.1';

/** One Chromium for all specs of a run; each page has its own profile. */
export const startBrowserStage: StageDefinition = async () => {
  const { address, close } = await startChromium(INSECURE_HOST);
  return { prefix: '', env: { ADDRESS: address }, apps: {}, stop: close };
};

/** Connects to the Chromium of this test run. `close` ends only the connection. */
export async function sharedBrowser(): Promise<TestBrowser> {
  const { env } = await stage('browser');
  return connectBrowser(env.ADDRESS ?? '');
}
