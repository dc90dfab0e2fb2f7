import { startBrowserStage } from '../browser.js';
import { startGatewayStage } from './gateway-stage.js';
import { startOperationsStage } from './operations-stage.js';
import { startIngestStage } from './ingest-stage.js';
import { startShopStage } from './shop-stage.js';
import { keepStages, type StageKeeper } from '../stage-keeper.js';

export { KEEPER_VARIABLE } from '../stage-keeper.js';

export const openStages = (): Promise<StageKeeper> =>
  keepStages({
    gateway: startGatewayStage,
    ingest: startIngestStage,
    operations: startOperationsStage,
    shop: startShopStage,
    browser: startBrowserStage,
  });
