/**
 * Loaded by `NODE_OPTIONS=--import=…/arm.js` with `FAILPOINTS={"root": URL of the repository, "armed": […], "clockJump"?: {"ms"}}`.
 */
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';
import { PLANTED, SECOND_OWNER, type Failpoint } from './failpoints.js';
import { jumpClock, strikeThisProcess, type ClockJump } from './strike.js';

interface Arms {
  root: string;
  armed: Failpoint[];
  clockJump?: ClockJump;
}

const { root, armed, clockJump } = JSON.parse(process.env.FAILPOINTS ?? '{"armed":[]}') as Arms;
if (isMainThread) {
  strikeThisProcess(armed);
  if (clockJump) jumpClock(clockJump);
  const data = [...PLANTED, SECOND_OWNER].map((point) => ({
    ...point,
    url: `${root}${point.project}/dist/${point.file}`,
  }));
  register(new URL('../../mutants/planted.js', import.meta.url), { data });
}
