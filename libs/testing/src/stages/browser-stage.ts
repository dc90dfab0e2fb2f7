import { connectBrowser, startChromium, type TestBrowser } from '../browser.js';
import { stage } from './stage.js';
import type { StageDefinition } from './stage-keeper.js';

/** A host of this machine that is not called localhost: a page of it over HTTP is no secure one. */
const INSECURE_HOST = '--host-resolver-rules=MAP shop.test 127.0.0.1';

/** One Chromium for all specs of a run; each page lives in a profile of its own. */
export const startBrowserStage: StageDefinition = async () => {
  const { address, close } = await startChromium(INSECURE_HOST);
  return { prefix: '', env: { ADDRESS: address }, apps: {}, stop: close };
};

/** A connection to the Chromium of this test run; it ends with `close`, the browser with the run. */
export async function sharedBrowser(): Promise<TestBrowser> {
  const { env } = await stage('browser');
  return connectBrowser(env.ADDRESS ?? '');
}
