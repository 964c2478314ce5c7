import { revisionValues } from './git-arguments.ts';

// They say which commits and files there are to show. Any of them left out would show less, or the same.
const choosing = new RegExp(
  [
    '^(?:--(?:all|branches|tags|remotes|reflog|not|merges|no-merges|first-parent|exclude-first-parent-only|full-history',
    '|dense|sparse|simplify-merges|simplify-by-decoration|ancestry-path|show-pulls|cherry-pick|left-only|right-only',
    '|cherry-mark|cherry|merge|boundary|walk-reflogs|follow|root|full-diff|cc|dd|merge-base|no-walk|do-walk|reverse',
    '|date-order|topo-order|author-date-order|invert-grep|all-match|extended-regexp|basic-regexp|fixed-strings',
    '|perl-regexp|regexp-ignore-case|pickaxe-all|pickaxe-regex|find-copies-harder|no-renames|remove-empty',
    '|find-renames|find-copies)',
    '|--(?:branches|tags|remotes|glob|exclude|max-count|skip|since|after|until|before|since-as-filter|author',
    '|committer|grep|grep-reflog|min-parents|max-parents|no-walk|ancestry-path|diff-filter|diff-merges|find-renames',
    '|find-copies|find-object|max-age|min-age)=.*',
    '|-\\d+|-n\\d+|-[gmcREFPi]|-[MC]\\d*%?|-[SG].+)$',
  ].join(''),
  's',
);
const choosingValues = new Set(
  '-n -S -G --author --committer --grep --grep-reflog --since --after --until --before --since-as-filter --max-count --skip --max-age --min-age --diff-filter --diff-merges --find-object --exclude --glob'.split(
    ' ',
  ),
);
// They say how it looks.
const looks = new RegExp(
  [
    '^(?:-[pusWwbaztrqvN]+|-[UlBDX]\\S*',
    '|--(?:(?:no-)?(?:patch|color|color-moved|decorate|abbrev|abbrev-commit|notes|expand-tabs|indent-heuristic|graph',
    '|relative|prefix|rename-empty|mailmap|use-mailmap|ext-diff|textconv|show-signature|signature|numbered|stat)',
    '|unified|stat|numstat|shortstat|dirstat|cumulative|summary|patch-with-stat|patch-with-raw|raw|name-only',
    '|name-status|compact-summary|word-diff|color-words|word-diff-regex|color-moved-ws|format|pretty|oneline',
    '|decorate-refs|decorate-refs-exclude|clear-decorations|date|relative-date|parents|children|left-right|source',
    '|log-size|show-notes|encoding|full-index|binary|text|ignore-space-at-eol|ignore-space-change',
    '|ignore-all-space|ignore-blank-lines|ignore-matching-lines|ignore-cr-at-eol|inter-hunk-context',
    '|function-context|minimal|patience|histogram|diff-algorithm|anchored|ws-error-highlight|src-prefix|dst-prefix',
    '|default-prefix|line-prefix|output-indicator-(?:new|old|context)|ignore-submodules|submodule|exit-code|quiet',
    '|check|cached|staged|no-commit-id|stdout|signoff|subject-prefix|stat-width|stat-name-width|stat-count',
    '|combined-all-paths|break-rewrites|irreversible-delete|verbose|keep-subject|zero-commit|creation-factor)(?:=.*)?)$',
  ].join(''),
  's',
);
// Any of them, or what git would take for one of them, has the content shown.
const contents = 'patch unified cc word-diff color-words binary check remerge-diff dd'.split(' ');
// Each of them alone keeps it from being shown.
const summaries =
  /^(?:-s|--(?:no-patch|stat|numstat|shortstat|dirstat|summary|name-only|name-status|raw|compact-summary|quiet|cumulative)(?:=.*)?)$/;

/** Whether log and its like show what is in files, when asked for nothing else (`isUsual`) or only on request. */
export function showsContents(args: readonly string[], isUsual: boolean): boolean {
  const options = args.slice(0, args.includes('--') ? args.indexOf('--') : args.length);
  const isAsked = options.some((arg) => {
    const name = /^--([a-z-]+)/.exec(arg)?.[1];
    if (name === undefined) return /^-(?:[a-zA-Z]*[puU]|c$|L)/.test(arg) && !/^-[SGnlMCBO]/.test(arg);
    return contents.some((one) => one.startsWith(name) || name.startsWith(`${one}-`));
  });
  return isAsked || (isUsual && !options.some((arg) => summaries.test(arg)));
}

export interface ReadArguments {
  /** Options that choose and revisions, in their order: `--not` and `--exclude` are about what comes after them. */
  readonly walk: readonly string[];
  readonly operands: readonly string[];
  readonly paths: readonly string[];
  /** The ranges of lines that -L traces. */
  readonly traced: readonly string[];
  /** There are options that are not known here. */
  readonly isOdd: boolean;
}

/** Takes apart the arguments of what walks or compares commits. `isPath`: whether an operand can't be a revision. */
export function readArguments(args: readonly string[], isPath: (operand: string) => boolean): ReadArguments {
  const [walk, operands, paths, traced]: [string[], string[], string[], string[]] = [[], [], [], []];
  let isOdd = false;
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    const next = args[at + 1] ?? '';
    if (arg === '--') return { walk, operands, paths: [...paths, ...args.slice(at + 1)], traced, isOdd };
    if (/^-L./.test(arg)) traced.push(arg.slice(2));
    else if (revisionValues.has(arg)) {
      if (arg === '-L') traced.push(next);
      if (choosingValues.has(arg)) walk.push(arg, next);
      at += 1;
    } else if (choosing.test(arg)) walk.push(arg);
    else if (arg.startsWith('-')) isOdd ||= !looks.test(arg);
    else if (paths.length > 0 || isPath(arg)) paths.push(arg);
    else {
      operands.push(arg);
      walk.push(arg);
    }
  }
  return { walk, operands, paths, traced, isOdd };
}

/** The single names in revisions: both sides of a range, without what is asked of their parents. */
export function namesIn(operands: readonly string[]): readonly string[] {
  return operands
    .flatMap((one) => one.replace(/^\^/, '').split(/\.{2,3}/))
    .map((one) => one.replace(/\^(?:!|@|-\d*)$/, '') || 'HEAD')
    .filter((one) => !/[\n\0]/.test(one));
}
