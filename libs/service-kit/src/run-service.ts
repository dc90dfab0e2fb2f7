import { reasonOf, reportWarnings } from '@tranche/runtime';
import type { ConfigFault } from './config.js';
import { standardOutput } from './log-output.js';
import { readServiceSettings } from './production/service-settings.js';
import { ServiceProcess, type ServiceDefinition } from './service-process.js';

/** sysexits.h: EX_CONFIG. Lets a supervisor distinguish a wrong setting, which a restart cannot fix, from a crash. */
const EXIT_CONFIG = 78;
const LAST_LINES_MS = 1_000;

/** Runs a service from `main.ts`. Resolves when it has started; the process ends on SIGTERM or SIGINT. */
export async function runService<C extends object>(definition: ServiceDefinition<C>): Promise<void> {
  const { config, kit, faults } = readServiceSettings(definition.Config, process.env);
  if (faults.length > 0) {
    process.stderr.write(faultsText(definition.name, faults));
    process.exit(EXIT_CONFIG);
  }
  const service = new ServiceProcess(definition, config, kit);
  service.metrics.collectProcess();
  reportWarnings((warning) => service.log.warn({ err: warning }, 'Node.js warns'));
  const stop = (reason: string) => void stopAndExit(service, reason);
  process.on('SIGTERM', stop).on('SIGINT', stop);
  const fail = failing(service);
  process.on('uncaughtException', (error) => fail(error, 'an error was not caught'));
  process.on('unhandledRejection', (error) => fail(error, 'a promise was rejected and the rejection was not handled'));
  try {
    await service.start();
  } catch (error) {
    if (service.isStopping) return;
    service.log.error({ err: error }, `${definition.name} cannot start: ${reasonOf(error)}`);
    await exit(1);
  }
}

function faultsText(name: string, faults: readonly ConfigFault[]): string {
  const count = faults.length === 1 ? 'a setting is wrong' : `${faults.length} settings are wrong`;
  return [`${name} cannot start, ${count}:`, ...faults.map((fault) => `  ${fault.name}: ${fault.message}`), ''].join(
    '\n',
  );
}

type Stoppable = Pick<ServiceProcess<object>, 'isStopping' | 'stop' | 'log'>;

async function stopAndExit(service: Stoppable, reason: string): Promise<void> {
  if (service.isStopping) return;
  try {
    await service.stop(reason);
    await exit(process.exitCode);
  } catch (error) {
    service.log.error({ err: error }, `the stop failed: ${reasonOf(error)}`);
    await exit(1);
  }
}

/**
 * Handles an uncaught error. The state is unknown, so the service must end; but each platform call in flight that is cut off becomes in
 * doubt. So the service stops as on SIGTERM, with the same deadline, and exits with 1. A second error ends it at once, because the shutdown
 * itself may be broken. Errors in the same turn of the event loop count as one: one rejected promise rejects everything that awaits it.
 */
function failing(service: Stoppable): (error: unknown, message: string) => void {
  let hasFailed = false;
  return (error, message) => {
    service.log.error({ err: error }, message);
    process.exitCode = 1;
    if (hasFailed) void exit(1);
    else void stopAndExit(service, message);
    setImmediate(() => (hasFailed = true));
  };
}

/** Gives the reader of the log time to read the last lines, which contain the reason. */
async function exit(code: typeof process.exitCode): Promise<void> {
  await standardOutput().flush(LAST_LINES_MS);
  process.exit(code);
}
