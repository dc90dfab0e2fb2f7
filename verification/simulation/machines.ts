import { SimulatedFolder, SimulatedMachine } from './machine.js';
import type { LedgerEdges } from './ledger-profile.js';
import { ledgerPath } from './process-ledger.js';
import type { SimulatedProcess, Surroundings } from './process.js';

export interface MachinesParts {
  around: Surroundings;
  edges: LedgerEdges;
  kill: (process: SimulatedProcess) => void;
  trace: (line: string) => void;
}

/** Places gateways on machines and plays the machines' faults. */
export class Machines {
  readonly #all: SimulatedMachine[];
  readonly #placeOf = new Map<string, SimulatedMachine>();

  constructor(private readonly parts: MachinesParts) {
    const { around, edges } = parts;
    const shared = new SimulatedFolder();
    this.#all = Array.from(
      { length: edges.machines },
      (_, n) =>
        new SimulatedMachine(`machine-${n}`, around, edges, edges.sharesFolder ? shared : new SimulatedFolder()),
    );
  }

  place(name: string): SimulatedMachine {
    const { random } = this.parts.around;
    const before = this.#placeOf.get(name);
    const machine =
      before && !random.chance(this.parts.edges.otherMachine)
        ? before
        : before
          ? random.pick(this.#all)
          : this.#all[this.#placeOf.size % this.#all.length]!;
    this.#placeOf.set(name, machine);
    return machine;
  }

  killed(process: SimulatedProcess): void {
    const { random } = this.parts.around;
    const { machine } = process;
    machine?.processes.delete(process);
    if (random.chance(this.parts.edges.blockLost)) machine?.loseBlock(ledgerPath(process.name));
  }

  /** Called at each wake of a process: something may happen to its machine. */
  strike({ machine }: SimulatedProcess): void {
    const { around, edges, kill } = this.parts;
    const { random } = around;
    if (machine === undefined) return;
    if (random.chance(edges.suspended)) {
      this.#note(`${machine.name} is suspended`);
      machine.suspend(random.between(200, 20_000));
    }
    if (random.chance(edges.dateSet)) {
      this.#note(`the date of ${machine.name} is set`);
      machine.setDate(random.between(-1, 1) * random.pick([900, 5_000, 864_000_000]));
    }
    if (random.chance(edges.diskTrouble)) {
      const trouble = random.pick(['full', 'unchangeable', 'unchangeable'] as const);
      this.#note(`the disk of ${machine.name} is ${trouble}`);
      machine.spoilDisk(trouble, random.between(100, 8_000));
    }
    if (random.chance(edges.machineLost)) {
      this.#note(`${machine.name} is lost`);
      for (const process of [...machine.processes]) kill(process);
      machine.restart(random.chance(0.5));
    }
  }

  #note(line: string): void {
    this.parts.trace(`${' '.repeat(11)}  ${line}`);
  }
}
