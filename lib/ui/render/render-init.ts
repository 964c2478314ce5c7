import { formatUsd } from '../../util/format-figures.ts';
import { renderTable } from '../../util/table.ts';
import type { Style } from '../text/style.ts';

/** Renders what `git flame init` wrote or would write: each thing with its purpose, and how to take it back. */
export function renderInit(written: readonly string[], isDryRun: boolean, style: Style): string {
  if (written.length === 0) return 'Everything is already in place.';
  const rows = written.map(toRow);
  return [
    isDryRun ? 'Would write:' : 'Written:',
    ...renderTable(rows, { width: style.width, indent: '  ' }),
    'git flame init --uninstall removes all of it except .blueflame.yml.',
  ].join('\n');
}

/** Renders the first configuration's commands, and the files they were read from. */
export function renderProposedConfig(
  {
    sources,
    allowed,
    tests,
    tried,
    missing,
    room,
  }: {
    readonly sources: readonly string[];
    readonly allowed: readonly string[];
    readonly tests: readonly string[];
    /** Results of trying the tests here; null: there are none, or they were not tried. */
    readonly tried: {
      readonly tests: readonly string[];
      readonly install: { readonly command: string; readonly preset: string } | null;
      readonly failing: readonly string[];
      readonly untried: string | null;
    } | null;
    /** Commands that are not proposed since their program is missing, by program. */
    readonly missing: readonly { readonly program: string; readonly commands: readonly string[] }[];
    /** Limits wider than those built in; null: none. */
    readonly room: {
      readonly agent_timeout: string;
      readonly token_budget: { readonly validator_usd: number };
    } | null;
  },
  style: Style,
): string {
  const rows = [
    ...(allowed.length === 0 ? [] : [['agents may run', allowed.join(', ')]]),
    ...checkRows(tests, tried),
    ...(room === null
      ? []
      : [
          ['agent timeout', `${room.agent_timeout}, enough for builds and tests`],
          ['validator budget', formatUsd(room.token_budget.validator_usd)],
        ]),
    ...missing.map(({ program, commands }) => [
      'not proposed',
      `${commands.join(', ')}: ${program} is not on your PATH`,
    ]),
  ];
  const asked =
    room === null && tried?.install == null
      ? []
      : ['Values beyond the built-in ones (limits, network) need your permission once: git flame trust'];
  const shown = renderTable(rows, { width: style.width, indent: '  ' });
  return [`Found ${sources.join(', ')}:`, ...shown, ...asked].join('\n');
}

type Tried = Parameters<typeof renderProposedConfig>[0]['tried'];

function checkRows(proposed: readonly string[], tried: Tried): readonly (readonly string[])[] {
  const tests = tried?.tests ?? proposed;
  const how =
    tried === null
      ? ''
      : tried.untried === null
        ? ' (passed)'
        : ` (not run: ${tried.untried}; git flame doctor runs them)`;
  const install = tried?.install ?? null;
  return [
    ...(tests.length === 0 ? [] : [['checks of each task', `${tests.join(', ')}${how}`]]),
    ...(install === null
      ? []
      : [['worktree setup', `${install.command}, which reaches the ${install.preset} registry`]]),
    ...(tried?.failing ?? []).map((clause) => ['not proposed', clause]),
  ];
}

const purposes: readonly (readonly [RegExp, string])[] = [
  [/\.blueflame\.yml, with/, 'chosen because claude is not installed here; edit it as you like'],
  [/\.blueflame\.yml/, 'what agents may change and run, checks, budget; edit it as you like'],
  [/^info\/exclude/, 'git ignores the worktrees of agents'],
  [/notes\.displayRef/, 'git log shows reviews and verdicts below their commits'],
  [/core\.hooksPath/, 'hooks of git flame are here; your own hooks run first'],
  [/^blueflame-init\/hooks/, 'check commits of tasks; git push sends the state too if blueflame.pushState is true'],
  [/pre-push/, 'git push sends the state too if blueflame.pushState is true'],
  [/(?:commit-msg|pre-commit)/, 'checks commits of tasks; your other commits pass'],
];

// Longer names leave no room for the purpose.
const longestName = 56;

/** Splits a long line: its beginning is the name; the rest goes before the purpose. */
function toRow(line: string): readonly string[] {
  const [, name, rest] = line.length <= longestName ? [] : (/^(\S+(?: core\.\w+)?)(?::| =) (.+)$/.exec(line) ?? []);
  if (name === undefined || rest === undefined) return [line, purposeOf(line)];
  return [name, [rest, purposeOf(line)].filter((part) => part !== '').join('; ')];
}

function purposeOf(line: string): string {
  return purposes.find(([pattern]) => pattern.test(line))?.[1] ?? '';
}
