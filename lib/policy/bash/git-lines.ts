import type { PathContext } from '../judge-path.ts';
import { unknownRevision } from './candidates.ts';
import { isWild } from './expand-glob.ts';
import { below, isThere, type Lines, listsFiles, matches } from './found-files.ts';

/** What git prints, where it lists files or names commits; null: anything. */
export function gitLines(context: PathContext, [subcommand = '', ...args]: readonly string[]): Lines {
  const operands = args.filter((arg) => !arg.startsWith('-'));
  const options = args.filter((arg) => arg.startsWith('-'));
  const has = (...names: readonly string[]): boolean => options.some((one) => names.includes(one));
  if (subcommand === 'rev-parse') {
    if (options.length === 1 && has('--show-toplevel') && operands.length === 0) return [topOf(context)];
    return options.every((one) => /^--(?:short(?:=\d+)?|verify|quiet|abbrev-ref)$|^-q$/.test(one))
      ? revisions(context, [subcommand, ...args])
      : null;
  }
  if (subcommand === 'merge-base') return revisions(context, [subcommand, ...args]);
  if (subcommand === 'branch')
    return options.length === 1 && has('--show-current') ? revisions(context, [subcommand, ...args]) : null;
  if (subcommand === 'rev-list')
    return has('--count')
      ? ['7']
      : has('--objects', '--pretty')
        ? null
        : revisions(context, [subcommand, ...args]);
  if (subcommand === 'log' && has('--format=%H', '--format=%h', '--pretty=%H', '--pretty=%h'))
    return options.some((one) => /name|stat|^-p|patch/.test(one))
      ? null
      : revisions(context, [subcommand, ...args]);
  const isNames =
    subcommand === 'ls-files'
      ? options.every((one) =>
          /^-[mocdz]$|^--(?:modified|others|cached|exclude-standard|deleted)$|^--$/.test(one),
        )
      : subcommand === 'grep'
        ? listsFiles(args)
        : /^(?:diff|show|log|diff-tree)$/.test(subcommand) &&
          has('--name-only') &&
          (subcommand === 'diff' || has('--format=', '--pretty=', '-r', '--pretty=format:'));
  if (!isNames) return null;
  const top = topOf(context);
  const names = below(context, ['.']);
  const others =
    context.cwd === top || subcommand === 'ls-files' || subcommand === 'grep'
      ? []
      : below({ ...context, cwd: top }, ['.']);
  if (names === null || others === null) return null;
  const paths = operands.filter((one) => isThere(context, one));
  return paths.length === 0 || (subcommand === 'grep' && paths.length < 2 && !args.includes('--'))
    ? [...names, ...others]
    : [...names, ...others].filter((name) =>
        paths.some((path) =>
          isWild(path)
            ? matches(path, name)
            : name === path || name.startsWith(`${path.replace(/\/$/, '')}/`) || path === '.',
        ),
      );
}

// More of them are not judged one by one.
const mostRevisions = 20;

/** The names of commits that a command prints. */
function revisions({ facts, cwd, movesRevisions }: PathContext, args: readonly string[]): readonly string[] {
  const isPlain = args.every((arg) => !arg.startsWith('-') || plainOption.test(arg));
  const text = isPlain && movesRevisions !== true ? facts.git({ args, cwd }) : null;
  const lines = text?.split('\n').filter((line) => line !== '') ?? [];
  const isKnown =
    lines.length > 0 && lines.length <= mostRevisions && lines.every((one) => /^\w[\w./-]*$/.test(one));
  return isKnown ? lines : [unknownRevision];
}

const plainOption =
  /^-(?:\d+|n\d*|-short(?:=\d+)?|-verify|-quiet|q|-abbrev-ref|-show-current|-max-count=\d+|-format=%[Hh]|-pretty=%[Hh]|-reverse|-no-merges|-first-parent|-all|-fork-point|-)$/;

function topOf({ facts, cwd, policy }: PathContext): string {
  for (let folder = cwd; folder.startsWith(`${policy.worktree}/`); folder = folder.replace(/\/[^/]*$/, ''))
    if (facts.lstat(`${folder}/.git`) !== null) return folder;
  return policy.worktree;
}
