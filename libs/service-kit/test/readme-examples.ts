/** The code of README.md, so that it compiles; a check of the documents compares the two. */
import { KitConfig, runService } from '../src/index.js';

class AuthConfig extends KitConfig {
  port = 4103;
  managementPort = 4203;
}

class AuthModule {}

export async function main(): Promise<void> {
  await runService({
    name: 'auth-service',
    Config: AuthConfig, // a plain class, its properties carry @Env
    module: () => AuthModule,
    port: (config) => config.port, // without it the controllers, if any, answer on the management port
    managementPort: (config) => config.managementPort,
    limits: { bodyBytes: 4_096 }, // of requests to controllers
  });
}
