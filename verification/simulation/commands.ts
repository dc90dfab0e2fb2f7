import { createHash } from 'node:crypto';
import { methodOfRail, RAILS, type Method, type OperationKind, type Rail } from '@tranche/contracts';
import { journalPartition } from '@tranche/order-journal';
import type { Random } from './random.js';

export interface SimulatedCommand {
  merchant: string;
  orderId: string;
  orderKey: string;
  commandId: string;
  operation: OperationKind;
  rail: Rail;
  method: Method;
  contentHash: string;
  amount?: number;
  supersedes?: string;
  /** Set if the command names it; otherwise the gateway takes it from the order. */
  transactionId?: string;
  notAfterMs?: number;
  /** EXTRADATA has no room for a tag. */
  isUntagged: boolean;
}

export interface PlannedCommand {
  atMs: number;
  command: SimulatedCommand;
  /** Names the TRANSACTIONID of the operation that it follows, if an event has published it by then. */
  namesReference: boolean;
}

export interface Plan {
  orderKeys: string[];
  commands: PlannedCommand[];
}

export const MERCHANT = 'shop-fr';

/** Draws at least two orders and five operations that conflict: duplicates, two captures, supersessions, other rails. */
export function drawPlan(random: Random, troubleMs: number): Plan {
  const orderIds = drawOrderIds(random);
  const commands: PlannedCommand[] = [];
  while (commands.length < 5)
    for (const orderId of orderIds) commands.push(...drawOrder(random, orderId, commands.length, troubleMs));
  return {
    orderKeys: orderIds.map((orderId) => `${MERCHANT}/${orderId}`),
    commands: commands.sort((a, b) => a.atMs - b.atMs),
  };
}

function drawOrderIds(random: Random): string[] {
  const count = random.chance(0.3) ? 3 : 2;
  const isTogether = random.chance(0.5);
  const ids: string[] = [];
  for (let n = random.below(1000); ids.length < count; n++) {
    const id = `o${n}`;
    const isFit = !isTogether || ids.length === 0 || partitionOf(id) === partitionOf(ids[0]!);
    if (isFit) ids.push(id);
  }
  return ids;
}

const hashOf = (content: string): string => createHash('sha256').update(content).digest('base64url').slice(0, 27);

const partitionOf = (orderId: string): number => journalPartition(`${MERCHANT}/${orderId}`);

function drawOrder(random: Random, orderId: string, before: number, troubleMs: number): PlannedCommand[] {
  const commands: PlannedCommand[] = [];
  const rail = random.pick(RAILS);
  let atMs = random.between(0, troubleMs * 0.4);
  const add = (operation: OperationKind, more: Partial<SimulatedCommand> = {}) => {
    const onRail = more.rail ?? (random.chance(0.15) ? random.pick(RAILS.filter((other) => other !== 'card')) : rail);
    const commandId = `${orderId}-${operation}-${before + commands.length}`;
    const command: SimulatedCommand = {
      merchant: MERCHANT,
      orderId,
      orderKey: `${MERCHANT}/${orderId}`,
      commandId,
      operation,
      rail: onRail,
      method: methodOfRail(onRail),
      contentHash: hashOf(`${commandId}#1`),
      isUntagged: operation === 'pay' || random.chance(0.15),
      ...(random.chance(0.03) ? { notAfterMs: random.between(0, troubleMs) } : {}),
      ...more,
    };
    commands.push({ atMs, command, namesReference: random.chance(0.4) });
    atMs += random.chance(0.6) ? random.between(0, 400) : random.between(0, troubleMs * 0.3);
    return command;
  };
  const again = (command: SimulatedCommand) => {
    const isOther = random.chance(0.1);
    const copy = isOther ? { ...command, contentHash: hashOf(`${command.commandId}#2`) } : command;
    commands.push({ atMs: atMs + random.between(-200, troubleMs * 0.3), command: copy, namesReference: false });
  };
  const payment = rail === 'card' ? 'pay' : 'authorize';
  const amount = random.chance(0.7) ? 20_000 : undefined;
  const withAmount = (part: number) => (random.chance(0.6) ? { amount: Math.floor(20_000 * part) } : {});
  const first = add(payment, { rail, ...(amount === undefined ? { amount: 20_000 } : { amount }) });
  for (let more = random.below(3); more > 0; more--) {
    const supersedes = random.chance(0.5) ? { supersedes: random.pick(commands).command.commandId } : {};
    add('authorize', { rail: random.pick(['partner-a', 'partner-b']), amount: 20_000, ...supersedes });
  }
  if (random.chance(0.2)) again(first);
  if (payment === 'authorize')
    for (let captures = random.below(3); captures > 0; captures--) add('capture', withAmount(1));
  if (random.chance(0.3)) add('void');
  for (let refunds = random.below(3); refunds > 0; refunds--) add('refund', withAmount(random.pick([1, 0.5, 0.6])));
  if (random.chance(0.2)) add('capture', withAmount(random.pick([0.5, 1.2])));
  if (random.chance(0.35)) again(random.pick(commands).command);
  return commands;
}
