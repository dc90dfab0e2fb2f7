import { readSettings, SettingsError } from './simulator.config.js';
import { startSimulator } from './simulator.module.js';

const EXIT_CONFIGURATION = 78;
const MAX_STOP_MS = 900;

async function main(): Promise<void> {
  try {
    const settings = readSettings(process.env);
    const { port, url, stop } = await startSimulator(settings);
    // Printed at every log level: a process that started us with PORT=0 reads the port from this line.
    process.stdout.write(`${JSON.stringify({ listening: port, url, merchants: settings.merchants.all.length })}\n`);
    const shutDown = () => {
      setTimeout(() => process.exit(0), MAX_STOP_MS).unref();
      void stop().finally(() => process.exit(0));
    };
    process.once('SIGTERM', shutDown);
    process.once('SIGINT', shutDown);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'unknown reason';
    process.stderr.write(`${cause instanceof SettingsError ? reason : `platform-simulator cannot start: ${reason}`}\n`);
    process.exit(cause instanceof SettingsError ? EXIT_CONFIGURATION : 1);
  }
}

void main();
