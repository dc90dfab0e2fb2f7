import type { Command } from 'commander';
import { oneOf } from './output/parse.js';
import { EXIT } from './exit.js';
import { pathOf, type Exit } from './program.js';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** `tranche completion`: a script that completes commands and options in a shell. */
export function addCompletionCommand(program: Command, exit: Exit): void {
  program
    .command('completion')
    .description('prints a script that completes commands and options: `source <(tranche completion bash)`')
    .argument('<shell>', SHELLS.join(', '), oneOf(SHELLS))
    .action((shell: (typeof SHELLS)[number]) => {
      console.log(scriptOf(shell, wordsOf(program)));
      exit(EXIT.done);
    });
}

/** By command: the words that may follow it. */
function wordsOf(command: Command): [string, string[]][] {
  const options = command.options.flatMap(({ long }) => long ?? []);
  const own: [string, string[]] = [pathOf(command), [...command.commands.map((one) => one.name()), ...options, '--help']];
  return [own, ...command.commands.flatMap(wordsOf)];
} // prettier-ignore

function scriptOf(shell: (typeof SHELLS)[number], words: readonly [string, string[]][]): string {
  if (shell === 'fish')
    return words.map(([path, next]) => `complete -c tranche -f -n 'test (string join " " (commandline -opc | string match -v -- "-*")) = "${path}"' -a '${next.join(' ')}'`).join('\n');
  const cases = words.map(([path, next]) => `    '${path}') words='${next.join(' ')}' ;;`).join('\n');
  const bash = `_tranche() {
  local path=tranche word words=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do case "$word" in -*) ;; *) path="$path $word" ;; esac; done
  case "$path" in
${cases}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _tranche tranche`;
  return shell === 'zsh' ? `autoload -U +X bashcompinit && bashcompinit\n${bash}` : bash;
} // prettier-ignore
