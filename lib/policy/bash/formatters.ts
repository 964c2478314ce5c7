import { judgePath, type PathContext } from '../judge-path.ts';
import { isHeavy, listTree } from '../judge-tree.ts';
import { type Objection, objection } from '../rules.ts';
import { judgeAll, judgeUnlisted, type ProgramCall, type ProgramRule } from './program.ts';

interface Formatter {
  /** The argument that makes it change files; null: it always does, unless `checks` is given. */
  readonly writes: RegExp | null;
  readonly checks?: RegExp;
  /** Names of the files it changes. */
  readonly files: RegExp;
  /** Options whose next word is no file. */
  readonly values?: RegExp;
  /** Works on everything below where it is run when no file is named. */
  readonly isWide?: boolean;
}

const scripts = /\.[cm]?[jt]sx?$|\.vue$|\.svelte$/;
const web = /\.(?:[cm]?[jt]sx?|vue|svelte|jsonc?|json5|css|scss|less|html?|md|mdx|ya?ml|graphql|gql|hbs)$/;
const python = /\.(?:pyi?|ipynb)$/;
const c = /\.(?:c|h|cc|cpp|cxx|hh|hpp|hxx|m|mm|java|proto)$/;
const checks = /^--(?:check|diff|dry-run|list-different|check-only)$|^-l$|^-d$/;

const formatters: Readonly<Record<string, Formatter>> = {
  prettier: {
    writes: /^(?:--write|-w)$/,
    files: web,
    values: /^--(?:config|parser|plugin|ignore-path|log-level|print-width|tab-width)$/,
  },
  eslint: {
    writes: /^--fix(?:-type)?$/,
    files: scripts,
    values:
      /^(?:-c|--config|--ext|-f|--format|--rule|--parser|--plugin|--max-warnings|-o|--output-file|--ignore-pattern|--cache-location|--rulesdir|--resolve-plugins-relative-to)$/,
    isWide: true,
  },
  stylelint: {
    writes: /^--fix$/,
    files: /\.(?:css|scss|less|vue|html)$/,
    values: /^(?:--config|--formatter|-f)$/,
  },
  standard: { writes: /^--fix$/, files: scripts, isWide: true },
  xo: { writes: /^--fix$/, files: scripts, isWide: true },
  biome: { writes: /^--(?:write|apply|apply-unsafe|fix|unsafe)$/, files: web, isWide: true },
  oxlint: { writes: /^--fix/, files: scripts, isWide: true },
  markdownlint: { writes: /^(?:--fix|-f)$/, files: /\.mdx?$/ },
  'markdownlint-cli2': { writes: /^--fix$/, files: /\.mdx?$/ },
  ruff: {
    writes: /^(?:--fix|--fix-only|--unsafe-fixes|format)$/,
    checks,
    files: python,
    values:
      /^(?:--select|--ignore|--extend-select|--config|--output-format|--target-version|--line-length|-o|--output-file|--exclude|--per-file-ignores)$/,
    isWide: true,
  },
  black: {
    writes: null,
    checks,
    files: python,
    values: /^(?:-l|--line-length|-t|--target-version|--config|--exclude|--include|-c)$/,
  },
  isort: {
    writes: null,
    checks: /^(?:-c|--check-only|--check|--diff|-d|--show-files|--version)$/,
    files: python,
    values: /^--(?:profile|line-length|skip|settings-path)$/,
  },
  autopep8: {
    writes: /^(?:-[a-z]*i[a-z]*|--in-place)$/,
    files: python,
    values: /^--(?:max-line-length|select|ignore)$/,
  },
  yapf: { writes: /^(?:-[a-z]*i[a-z]*|--in-place)$/, files: python, values: /^--style$/ },
  gofmt: { writes: /^-[a-z]*w$/, files: /\.go$/, values: /^-r$/ },
  gofumpt: { writes: /^-[a-z]*w$/, files: /\.go$/ },
  goimports: { writes: /^-[a-z]*w$/, files: /\.go$/, values: /^-local$/ },
  rustfmt: {
    writes: null,
    checks: /^--(?:check|version)$/,
    files: /\.rs$/,
    values: /^--(?:edition|config-path|config)$/,
  },
  'clang-format': { writes: /^-i$/, files: c, values: /^--?style$/ },
  shfmt: { writes: /^-[a-z]*w/, files: /\.(?:sh|bash)$/, values: /^-(?:i|ln)$/ },
  rubocop: {
    writes: /^(?:-[aAx]|--auto-correct(?:-all)?|--autocorrect(?:-all)?|--fix-layout)$/,
    files: /\.(?:rb|rake|gemspec)$/,
    values: /^(?:--only|-f|--format|--config|-c)$/,
    isWide: true,
  },
  'php-cs-fixer': { writes: /^fix$/, checks: /^--dry-run$/, files: /\.php$/, isWide: true },
  ktlint: { writes: /^(?:-F|--format)$/, files: /\.kts?$/, isWide: true },
  swiftformat: { writes: null, checks: /^--(?:lint|dryrun|version)$/, files: /\.swift$/ },
  dprint: { writes: /^fmt$/, files: web, isWide: true },
};

// By these names it writes: they may be written in any case.
const compilerOutput =
  /^--?(?:outDir|outFile|declarationDir|tsBuildInfoFile|generateTrace|generateCpuProfile)$/i;

/** The TypeScript compiler: what it writes goes where files may be written. */
function judgeTsc(call: ProgramCall): Objection | null {
  const args = call.args.slice(call.trusted);
  const isTarget = (at: number): boolean => compilerOutput.test(args[at - 1] ?? '');
  const targets = args.filter((_, at) => isTarget(at));
  if (args.some((arg) => arg.startsWith('@')))
    return objection(
      'bash-option',
      'tsc takes its options from the command line and from tsconfig.json here.',
    );
  return (
    judgeAll(
      call.context,
      targets.map((path) => ({ path: `${path}/any-file`, access: 'write' })),
    ) ??
    judgeUnlisted(
      call.context,
      call.name,
      args.filter((_, at) => !isTarget(at)),
    )
  );
}

/** Linters and formatters: what they look at may be anything readable, what they change must be in scope, file by file. */
export const formatterPrograms: Readonly<Record<string, ProgramRule>> = {
  tsc: judgeTsc,
  ...Object.fromEntries(
    Object.entries(formatters).map(([name, one]): [string, ProgramRule] => [
      name,
      (call) => judgeFormatter(call, one),
    ]),
  ),
};

function judgeFormatter(call: ProgramCall, one: Formatter): Objection | null {
  const loose = judgeUnlisted(call.context, call.name, call.args.slice(call.trusted)) ?? judgeOutputs(call);
  if (loose !== null) return loose;
  const isChecking = one.checks !== undefined && call.args.some((arg) => one.checks?.test(arg));
  const isWriting = one.writes === null || call.args.some((arg) => one.writes?.test(arg));
  if (isChecking || !isWriting) return null;
  const named = operandsOf(call.args, one.values).filter(
    (arg) => !/^(?:check|format|lint|fix|fmt|ci|-)$/.test(arg),
  );
  const places = named.length === 0 && one.isWide === true ? ['.'] : named;
  return judgeChanged(call.context, { name: call.name, places, files: one.files });
}

function operandsOf(args: readonly string[], values: RegExp | undefined): readonly string[] {
  return args.filter((arg, at) => !arg.startsWith('-') && values?.test(args[at - 1] ?? '') !== true);
}

// What writes a report, by the names linters give it.
const output =
  /^(?:-o|--output|--output-file|--outfile|--outFile|--out-file|--report-file|--cache-location|--cache-file)(?:=(.*))?$/s;

/** A report or cache must be where files may be written. */
function judgeOutputs(call: ProgramCall): Objection | null {
  const files = call.args.flatMap((arg, at) => {
    const found = output.exec(arg);
    const path = found === null ? undefined : (found[1] ?? call.args[at + 1]);
    return path === undefined || path === '-' ? [] : [{ path, access: 'write' as const }];
  });
  return judgeAll(call.context, files);
}

/** Each file a formatter would change must be writable; a folder with one that isn't has to be named more narrowly. */
export function judgeChanged(
  context: PathContext,
  {
    name,
    places,
    files,
  }: { readonly name: string; readonly places: readonly string[]; readonly files: RegExp },
): Objection | null {
  for (const place of places) {
    const start = place.replace(/\/?[^/]*[*?[{].*$/s, '') || '.';
    const tree = listTree(context, start, { skips: isHeavy });
    if (tree === null) return tooMany(name, place);
    for (const { below, kind } of tree) {
      if (kind === 'directory' || (below !== '' && !files.test(below))) continue;
      const found = judgePath(context, below === '' ? start : `${start}/${below}`, 'write');
      if (found !== null)
        return below === ''
          ? found
          : objection(
              found.rule,
              `${name} would change ${start === '.' ? below : `${start}/${below}`}, too. ${found.details} Name the files of your task.`,
            );
    }
  }
  return null;
}

function tooMany(name: string, place: string): Objection {
  return objection(
    'bash-option',
    `${place} holds too many files to see which ${name} would change. Name a smaller folder.`,
  );
}
