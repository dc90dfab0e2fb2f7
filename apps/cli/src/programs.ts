import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CannotTellError } from './exit.js';

/**
 * Runs a program of a service, with this environment: what only that service may do stays in its code, and has its own user at Kafka.
 * @returns its exit code, which means what ours do
 */
export async function runProgram(app: string, name: string, args: readonly string[]): Promise<number> {
  const inApps = join(app, 'dist', name, 'main.js');
  const places = [join(dirname(process.argv[1] ?? ''), '..', '..', inApps), join(process.cwd(), 'apps', inApps)];
  const main = places.find((place) => existsSync(place));
  if (main === undefined)
    throw new CannotTellError(
      `apps/${inApps} is not here: run it in the service image, or in a clone after \`npm run build\``,
    );
  const child = spawn(process.execPath, [main, ...args], { env: process.env, stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}
