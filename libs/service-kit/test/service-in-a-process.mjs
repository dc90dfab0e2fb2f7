/** Runs a service of the built library in its own process, controlled by messages of its parent. */
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { Server } from '@nestjs/microservices';
import { runService } from '../dist/index.js';

class Settings {}
let log;
let endDrain;

/** Takes work until it is closed; its last work ends when the parent says so. */
class Intake extends Server {
  listen(callback) {
    callback();
  }
  close() {
    process.send('draining');
    return new Promise((resolve) => (endDrain = resolve));
  }
  on() {}
  unwrap() {}
}

process.on('message', ({ reject, waiters = 1, drained, lines, level }) => {
  if (reject !== undefined) {
    const cause = Promise.reject(new Error(reject));
    for (let waiter = 0; waiter < waiters; waiter++) void cause.then();
  }
  if (drained) endDrain();
  for (let line = 0; line < lines; line++) log[level]({ line, filling: 'x'.repeat(1_000) }, 'a line');
  if (lines) process.send('logged');
});

const { ServiceLogger } = await import('../dist/index.js');
await runService({
  name: 'service-in-a-process',
  Config: Settings,
  module: () => class Root {},
  managementPort: () => Number(process.env.MANAGEMENT_PORT),
  strategies: (app) => {
    log = app.get(ServiceLogger);
    return [new Intake()];
  },
});
process.send('started');
