import { readFileSync } from 'node:fs';
import {
  type CorpusFile,
  exampleCommands,
  ownCommands,
  readCorpus,
  usualCommands,
} from '../../policy/configurations.ts';

/** Lines that agents type and lines that attack, under a configuration that a lead would write. */
export interface Shape {
  readonly name: string;
  readonly policy: CorpusFile['policy'];
  readonly commands: readonly string[];
  readonly everyday: readonly string[];
  readonly attacks: readonly string[];
}

const defaults = ['rm', 'chmod', 'git mv', 'git rm', 'git restore', ...usualCommands];

function ofCorpus(name: string, lead: string, commands: readonly string[]): Shape {
  const { policy, cases } = readCorpus(name);
  const those = cases.filter(({ lists }) => lists?.includes(lead) ?? true);
  const lines = (expected: string): readonly string[] =>
    those.flatMap(({ command, expect }) => (command !== undefined && expect === expected ? [command] : []));
  return { name: `${name}, ${lead}`, policy, commands, everyday: lines('allow'), attacks: lines('block') };
}

type Attacks = Readonly<Record<string, readonly string[]>>;

/** The corpora of the policy, each under the configurations it is judged by. */
export function shapes(): readonly Shape[] {
  const generous = ownCommands(readCorpus('bash-2'));
  const first = readCorpus('bash');
  const narrow = ownCommands(first);
  const programs = first.policy.commands ?? [];
  const attacks: Attacks = JSON.parse(readFileSync('test/data/policy/attacks-bash.json', 'utf8'));
  const under = (name: string, commands: readonly string[], prefix = ''): Shape => ({
    name: `attacks-bash, ${name}`,
    policy: first.policy,
    commands,
    everyday: attacks[`${prefix}allow`] ?? [],
    attacks: attacks[`${prefix}block`] ?? [],
  });
  const once: readonly string[] = JSON.parse(readFileSync('test/data/policy/once-refused.json', 'utf8'));
  const many = [...generous, ...words('bash sh eslint cargo make uniq unlink')];
  return [
    {
      ...{ name: 'refused before', policy: readCorpus('bash-2').policy, commands: many },
      ...{ everyday: [], attacks: once },
    },
    ofCorpus('bash', 'subcommands', narrow),
    ofCorpus('bash', 'programs', programs),
    ...['bash-2', 'bash-3', 'agents'].flatMap((name) => [
      ofCorpus(name, 'generous', generous),
      ofCorpus(name, 'usual', defaults),
      ofCorpus(name, 'readme', exampleCommands()),
    ]),
    ofCorpus('unlisted-2', 'careless', ownCommands(readCorpus('unlisted-2'))),
    under('subcommands', narrow),
    under('programs', programs),
    under(
      'many programs',
      [...programs, ...words('sed awk find xxd diff jq timeout time tree tee cp mv rm uniq')],
      'wide_',
    ),
    under(
      'changing subcommands',
      [
        ...narrow,
        ...words(
          'rm mv restore checkout fetch rebase merge cherry-pick config submodule bisect apply format-patch clean difftool filter-branch reset',
        ).map((one) => `git ${one}`),
      ],
      'named_',
    ),
    under(
      'tools',
      [
        ...programs.filter((one) => one !== 'git'),
        ...words('node python python3 pnpm yarn cargo env timeout deno bun pytest black ruff eslint bash find'),
        ...['uv run', 'poetry run', './gradlew test', 'npx tsc', 'npx eslint'],
      ],
      'tools_',
    ),
  ];
}

function words(text: string): readonly string[] {
  return text.split(' ');
}
