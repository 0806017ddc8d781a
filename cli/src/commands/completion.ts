import { type Command, command, commonOptions } from '../command.ts';
import { usageError } from '../errors.ts';

const shells = ['bash', 'zsh', 'fish'] as const;

/** Takes the table by a function, because it is a row of it. */
export function completion(commands: () => readonly Command[]): Command {
  return command({
    name: 'completion',
    summary: 'Print a completion script for your shell',
    arguments: `<${shells.join('|')}>`,
    takes: [1, 1],
    options: {},
    examples: [
      { command: 'source <(carillon completion bash)', says: 'bash, in ~/.bashrc' },
      { command: 'source <(carillon completion zsh)', says: 'zsh, in ~/.zshrc after compinit' },
      { command: 'carillon completion fish > ~/.config/fish/completions/carillon.fish', says: 'fish' },
    ],
    async run({ io }, _values, [shell]) {
      if (shell === 'bash') return io.out(bash(commands()));
      if (shell === 'zsh') return io.out(zsh(commands()));
      if (shell === 'fish') return io.out(fish(commands()));
      throw usageError(`Unknown shell: ${shell}.`, `Supported: ${shells.join(', ')}.`);
    },
  });
}

const firstWords = (commands: readonly Command[]) => [
  ...new Set(commands.map(({ name }) => name.split(' ')[0] ?? '')),
];

const secondWords = (commands: readonly Command[], first: string) =>
  commands.flatMap(({ name }) => {
    const [one, two] = name.split(' ');
    return one === first && two ? [two] : [];
  });

const flagsOf = ({ options, passesOn }: Command) =>
  passesOn ? ['--help'] : Object.keys({ ...options, ...commonOptions }).map((name) => `--${name}`);

function cases(commands: readonly Command[], line: (key: string, words: string[]) => string): string {
  const byName = commands.map((each) => line(each.name, flagsOf(each)));
  const families = firstWords(commands).flatMap((first) => {
    const words = secondWords(commands, first);
    return words.length > 0 && !commands.some(({ name }) => name === first) ? [line(first, words)] : [];
  });
  return [...byName, ...families].join('\n');
}

function bash(commands: readonly Command[]): string {
  return `_carillon() {
  local current="\${COMP_WORDS[COMP_CWORD]}" first="\${COMP_WORDS[1]}" second="\${COMP_WORDS[2]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${firstWords(commands).join(' ')} --help --version"
  else
    [ "$COMP_CWORD" -eq 2 ] && second=""
    for name in "$first $second" "$first"; do
      case "$name" in
${cases(commands, (key, words) => `        '${key}') words="${words.join(' ')}" ;;`)}
      esac
      [ -n "$words" ] && break
    done
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [ \${#COMPREPLY[@]} -eq 0 ] && COMPREPLY=($(compgen -f -- "$current"))
}
complete -F _carillon carillon`;
}

/** By the completion of bash, which zsh can run. */
function zsh(commands: readonly Command[]): string {
  return `autoload -U +X bashcompinit && bashcompinit\n${bash(commands)}`;
}

function fish(commands: readonly Command[]): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "\\'")}'`;
  const lines = ['complete -c carillon -f'];
  for (const first of firstWords(commands)) {
    const own = commands.find(({ name }) => name === first);
    const says = own ? ` -d ${quoted(own.summary)}` : '';
    lines.push(`complete -c carillon -n __fish_use_subcommand -a ${first}${says}`);
  }
  for (const { name, summary, options, passesOn } of commands) {
    const [first = '', second] = name.split(' ');
    const seen = [first, second].filter(Boolean).map((word) => `__fish_seen_subcommand_from ${word}`);
    const condition = quoted(seen.join('; and '));
    if (second)
      lines.push(
        `complete -c carillon -n '__fish_seen_subcommand_from ${first}' -a ${second} -d ${quoted(summary)}`,
      );
    for (const [flag, option] of Object.entries(passesOn ? {} : { ...options, ...commonOptions })) {
      const value = option.type === 'string' ? ' -r' : '';
      lines.push(`complete -c carillon -n ${condition} -l ${flag}${value} -d ${quoted(option.description)}`);
    }
  }
  return lines.join('\n');
}
