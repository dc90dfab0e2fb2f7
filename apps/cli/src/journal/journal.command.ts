import { InvalidArgumentError, type Command } from 'commander';
import { JOURNAL_PARTITIONS, type TwoPeople } from '@tranche/order-journal';
import { EXIT } from '../exit.js';
import { JournalAccess } from './journal-access.js';
import { exitCodeOf, journalStatus } from './journal-status.js';
import { keptNotifications, resumable, resume, resumePlan } from './resume.js';
import { assertSkippable, skip, skipPlan } from './skip.js';
import { statusJson, statusText } from './status-text.js';
import { reasonOption } from '../output/parse.js';
import { printable } from '../printable.js';
import { confirm, twoPeople } from './two-people.js';

type Change = TwoPeople & { yes?: boolean };

/** `tranche journal`: what is damaged of the journal, and how two people let it go on. docs/operate/runbook.md, "A journal partition is stopped". */
export function addJournalCommand(program: Command, exit: (code: number) => void): void {
  const journal = program
    .command('journal')
    .description('what is damaged of the journal, and how it goes on; run it with the environment of payment-gateway');

  journal
    .command('status')
    .description('shows each partition, what is damaged and what to do; exit code 0 healthy, 6 damaged, 1 can not tell')
    .option('--json', 'prints JSON')
    .action(async ({ json }: { json?: boolean }) =>
      withAccess(async (access) => {
        const status = await journalStatus(access);
        console.log(json === true ? statusJson(status) : printable(statusText(status)));
        exit(exitCodeOf(status));
      }),
    );

  change(journal.command('resume'))
    .description('after a loss: partitions go on with the records that are kept; all gateways must be stopped')
    .option('--partition <number>', 'a partition, may be repeated; default: all that have lost records', partitions, [])
    .action(async ({ partition, yes, ...options }: Change & { partition: number[] }) => {
      const people = twoPeople(options);
      await withAccess(async (access) => {
        const chosen = resumable(await journalStatus(access), partition);
        console.error(resumePlan(chosen, await keptNotifications(access)));
        await confirm('resume', { yes: yes === true });
        await resume(access, chosen.map((one) => one.partition), people); // prettier-ignore
        console.log(`resumed: ${chosen.map((one) => `partition ${one.partition}`).join(', ')}. Start the gateways.`);
        exit(EXIT.done);
      });
    });

  change(journal.command('skip'))
    .description('skips one unreadable record and freezes its order; all gateways must be stopped')
    .requiredOption('--partition <number>', 'its partition', partition)
    .requiredOption('--offset <offset>', 'its offset', offset)
    .requiredOption('--hash <hash>', 'its hash, as `tranche journal status` shows it')
    .action(async ({ yes, partition, offset, hash, ...options }: Change & { partition: number; offset: string; hash: string }) => {
      const people = twoPeople(options);
      const name = { partition, offset, hash };
      await withAccess(async (access) => {
        const status = await journalStatus(access);
        assertSkippable(status, name);
        console.error(skipPlan(name, status.partitions[partition]!.damages.find((one) => one.offset === offset)!.says));
        await confirm('skip', { yes: yes === true });
        await skip(access, name, people);
        console.log('skipped. Run `tranche journal status` before the gateways are started.');
        exit(EXIT.done);
      });
    }); // prettier-ignore
}

const change = (command: Command): Command =>
  reasonOption(
    command
      .requiredOption('--requested-by <name>', 'who asks for it')
      .requiredOption('--approved-by <name>', 'another person, who approves it'),
    'why',
    'kept in the audit, so no personal data',
  ).option('--yes', 'does not ask');

async function withAccess(use: (access: JournalAccess) => Promise<void>): Promise<void> {
  const access = await JournalAccess.open();
  try {
    await use(access);
  } finally {
    await access.close();
  }
}

function partition(text: string): number {
  const isOne = /^\d{1,2}$/.test(text) && Number(text) < JOURNAL_PARTITIONS;
  if (!isOne) throw new InvalidArgumentError(`It must be 0 to ${JOURNAL_PARTITIONS - 1}.`);
  return Number(text);
}

const partitions = (text: string, before: number[]): number[] => [...before, partition(text)];

function offset(text: string): string {
  if (!/^(?:0|[1-9]\d{0,18})$/.test(text)) throw new InvalidArgumentError('It must be an offset.');
  return text;
}
