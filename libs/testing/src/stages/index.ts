import { startBrowserStage } from './browser-stage.js';
import { startGatewayStage } from './gateway-stage.js';
import { keepStages, type StageKeeper } from './stage-keeper.js';

export { KEEPER_VARIABLE } from './stage.js';

/** All stages of the tests, by the names that specs ask for. */
export const openStages = (): Promise<StageKeeper> =>
  keepStages({ gateway: startGatewayStage, browser: startBrowserStage });
