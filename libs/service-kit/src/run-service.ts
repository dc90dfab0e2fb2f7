import { reasonOf } from '@tranche/runtime';
import type { ConfigFault } from './config.js';
import { readServiceSettings } from './production/service-settings.js';
import { ServiceProcess, type ServiceDefinition } from './service-process.js';

/** sysexits.h: EX_CONFIG. So a supervisor knows a wrong setting, which no restart cures, from a crash. */
const EXIT_CONFIG = 78;

/** A service from `main.ts`: settings, start, signals, exit code. Resolves when it has started; the process ends on SIGTERM or SIGINT. */
export async function runService<C extends object>(definition: ServiceDefinition<C>): Promise<void> {
  const { config, kit, faults } = readServiceSettings(definition.Config, process.env);
  if (faults.length > 0) {
    process.stderr.write(faultsText(definition.name, faults));
    process.exit(EXIT_CONFIG);
  }
  const service = new ServiceProcess(definition, config, kit);
  const stop = (reason: string) => void stopAndExit(service, reason);
  process.on('SIGTERM', stop).on('SIGINT', stop);
  process.on('uncaughtException', (error) => crash(service, error, 'an error was not caught'));
  process.on('unhandledRejection', (error) =>
    crash(service, error, 'a promise was rejected and the rejection was not handled'),
  );
  try {
    await service.start();
  } catch (error) {
    if (!service.isStopping) crash(service, error, `${definition.name} cannot start: ${reasonOf(error)}`);
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
    process.exit(0);
  } catch (error) {
    service.log.error({ err: error }, `the stop failed: ${reasonOf(error)}`);
    process.exit(1);
  }
}

function crash(service: Stoppable, error: unknown, message: string): never {
  service.log.error({ err: error }, message);
  process.exit(1);
}
