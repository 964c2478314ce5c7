import { formatUsd } from '../../util/format-figures.ts';
import { renderTable } from '../../util/table.ts';
import type { Style } from '../text/style.ts';

/** Renders what `git flame init` wrote or would write: each thing with its purpose, and how to take it back. */
export function renderInit(written: readonly string[], isDryRun: boolean, style: Style): string {
  if (written.length === 0) return 'Everything is in place already.';
  const rows = written.map(toRow);
  return [
    isDryRun ? 'Would write:' : 'Written:',
    ...renderTable(rows, { width: style.width, indent: '  ' }),
    'git flame init --uninstall takes all of it back but .blueflame.yml.',
  ].join('\n');
}

/** Renders the first configuration's commands, and the files they were read from. */
export function renderProposal(
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
          ['time of an agent', `${room.agent_timeout}, so that builds and tests fit in`],
          ['budget of a validator', formatUsd(room.token_budget.validator_usd)],
        ]),
    ...missing.map(({ program, commands }) => [
      'not proposed',
      `${commands.join(', ')}: ${program} is not on your PATH`,
    ]),
  ];
  const asked =
    room === null && tried?.install == null
      ? []
      : ['What is wider than built in (limits, network) is asked about once: git flame trust'];
  const shown = renderTable(rows, { width: style.width, indent: '  ' });
  return [`Found ${sources.join(', ')}:`, ...shown, ...asked].join('\n');
}

type Tried = Parameters<typeof renderProposal>[0]['tried'];

function checkRows(proposed: readonly string[], tried: Tried): readonly (readonly string[])[] {
  const tests = tried?.tests ?? proposed;
  const how =
    tried === null
      ? ''
      : tried.untried === null
        ? ' (passed when tried)'
        : ` (not tried: ${tried.untried}; git flame doctor tries them)`;
  const install = tried?.install ?? null;
  return [
    ...(tests.length === 0 ? [] : [['checks of each task', `${tests.join(', ')}${how}`]]),
    ...(install === null
      ? []
      : [['setup of worktrees', `${install.command}, which reaches the ${install.preset} registry`]]),
    ...(tried?.failing ?? []).map((clause) => ['not proposed', clause]),
  ];
}

const purposes: readonly (readonly [RegExp, string])[] = [
  [/^\.blueflame\.yml, with/, 'claude is not installed here, it is; the rest is yours to edit too'],
  [/^\.blueflame\.yml/, 'what agents may touch and run, the checks, the budget: yours to edit'],
  [/^info\/exclude/, 'git ignores the worktrees of agents'],
  [/notes\.displayRef/, 'git log shows the review below what landed, the verdict below what was judged'],
  [/core\.hooksPath/, 'hooks of git flame stand here; those that were there run first'],
  [
    /^blueflame-init\/hooks/,
    'judge commits of tasks; state goes along with git push where blueflame.pushState is true',
  ],
  [/pre-push/, 'state goes along with git push, once blueflame.pushState is true'],
  [/(?:commit-msg|pre-commit)/, 'judges commits of tasks; your other commits pass'],
];

// Longer names leave no room for the purpose.
const longestName = 56;

/** Splits a long line: its beginning is the name; the rest goes before the purpose. */
function toRow(line: string): readonly string[] {
  const [, name, rest] =
    line.length <= longestName ? [] : (/^(\S+(?: core\.\w+)?)(?::| =) (.+)$/.exec(line) ?? []);
  if (name === undefined || rest === undefined) return [line, purposeOf(line)];
  return [name, [rest, purposeOf(line)].filter((part) => part !== '').join('; ')];
}

function purposeOf(line: string): string {
  return purposes.find(([pattern]) => pattern.test(line))?.[1] ?? '';
}
