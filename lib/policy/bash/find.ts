import { wildcardMatches } from '../../util/path-globs.ts';
import { judgePath, type PathContext } from '../judge-path.ts';
import { judgeTree } from '../judge-tree.ts';
import { type Objection, objection } from '../rules.ts';
import { filesBelow, representatives } from './candidates.ts';
import { type Follows, followedLink, judgeFollowed } from './followed-links.ts';
import { judgeAll, judgePattern, type ProgramCall } from './program.ts';
import { isSpecific } from './wide-search.ts';

const tests = new Set(
  '-name -iname -path -ipath -wholename -regex -iregex -regextype -type -xtype -size -empty -maxdepth -mindepth -depth -mtime -mmin -atime -amin -ctime -cmin -newer -newermt -samefile -perm -user -group -not -a -and -o -or -print -print0 -printf -ls -prune -quit -true -false -xdev -mount -daystart -follow -delete -nogroup -nouser -fstype -lname -ilname -anewer -cnewer -used -ignore_readdir_race -readable -writable -executable -links -inum -L -P -H'.split(
    ' ',
  ),
);
// What they are given they look at, as a search through the folder would; names of files can't become their options,
// since find begins each name with the folder it started from.
const searchers = new Set([
  'grep',
  'egrep',
  'fgrep',
  'wc',
  'ls',
  'stat',
  'file',
  'du',
  'basename',
  'dirname',
]);

/** Judges find: what it looks for, and where; what it runs may only look, too. */
export function judgeFind(call: ProgramCall): Objection | null {
  const all = call.args.slice(call.trusted);
  const args = all.slice(
    Math.max(
      0,
      all.findIndex((arg) => !/^-[HLP]$/.test(arg)),
    ),
  );
  const first = args.findIndex((arg) => /^[-(!]/.test(arg));
  const places = first < 0 ? args : args.slice(0, first);
  const parts = splitRuns(first < 0 ? [] : args.slice(first));
  if (parts === null) return refused('-exec', 'End the command of -exec with {} + or \\;');
  const bad = parts.tests.find((arg) => /^-(?!.*\s)/.test(arg) && !tests.has(arg) && !/^-\d+$/.test(arg));
  if (bad !== undefined) return refused(bad, 'List files with find, then treat them one by one.');
  const compared = parts.tests.flatMap((arg, at) =>
    /^-(?:newer|samefile)$/.test(arg) ? [parts.tests[at + 1] ?? '.'] : [],
  );
  return (
    judgeAll(
      call.context,
      [...places, ...compared].map((path) => ({ path, access: 'read' as const })),
    ) ?? judgeRuns(call, places.length === 0 ? ['.'] : places, { ...parts, follows: linksFollowed(all) })
  );
}

/** null: none but those with a `/` at their end. */
function linksFollowed(args: readonly string[]): Follows | null {
  if (args.some((arg) => /^-(?:L|follow)$/.test(arg))) return 'all';
  return args.includes('-H') ? 'given' : null;
}

interface FindParts {
  readonly tests: readonly string[];
  /** The commands of -exec without their end. */
  readonly runs: readonly (readonly string[])[];
}

function splitRuns(args: readonly string[]): FindParts | null {
  const kept: string[] = [];
  const runs: (readonly string[])[] = [];
  for (let at = 0; at < args.length; at += 1) {
    if (args[at] !== '-exec') {
      kept.push(args[at] ?? '');
      continue;
    }
    const end = args.findIndex((arg, i) => i > at && (arg === ';' || (arg === '+' && args[i - 1] === '{}')));
    if (end < 0) return null;
    runs.push(args.slice(at + 1, end));
    at = end;
  }
  return { tests: kept, runs };
}

function judgeRuns(
  call: ProgramCall,
  places: readonly string[],
  parts: FindParts & { readonly follows: Follows | null },
): Objection | null {
  if (parts.runs.length === 0 && !parts.tests.includes('-delete')) return null;
  if (parts.tests.length > 200 || parts.tests.some((arg) => /^-i?regex$/.test(arg)))
    return refused('-regex with -exec', 'Ask for a few names with -name or -path.');
  if (places.some((place) => place.startsWith('-'))) return refused('-exec', 'Start from a plain folder.');
  // The files it opens are those it looks for by name.
  const { policy, cwd } = call.context;
  const here = cwd === policy.worktree ? '' : `${cwd.slice(policy.worktree.length + 1)}/`;
  const wanted = wantedNames(parts.tests).map((one) => one.replace(/^(?:\.\/)+/, here));
  const aimed = wanted.map((one) => judgePattern(call.context, one)).find((one) => one !== null);
  if (aimed !== undefined) return aimed;
  const found = filesFound(call.context, places, parts.tests);
  if (found === null)
    return refused('-exec', 'The folder holds too many files to look at. Start from a smaller one.');
  const runs = parts.tests.includes('-delete') ? [...parts.runs, ['rm', '-rf', '{}']] : parts.runs;
  const files = found.length > 0 ? found : [`${places[0]?.replace(/\/+$/, '') ?? '.'}/any-file`];
  const bad = runs.map((run) => judgeRun(call, run, files)).find((one) => one !== null) ?? null;
  const entered = parts.follows === null ? places.filter((one) => one.endsWith('/')) : places;
  return bad ?? judgeFollowed(call.context, entered, parts.follows ?? 'given');
}

/** What find runs, judged for those of the files it finds that the rules treat differently. */
function judgeRun(call: ProgramCall, run: readonly string[], found: readonly string[]): Objection | null {
  const [name = ''] = run;
  if (name === '{}' || name === '' || name.includes('{}'))
    return refused('-exec {}', 'Name the program that is run.');
  if (!run.some((word) => word.includes('{}'))) return refused(`-exec ${name}`, 'Give it the file as {}.');
  const files = tellingNames(call.context, run, found);
  for (const file of files.length === 0 ? ['./any-file'] : files) {
    const words = run.map((word) => word.replaceAll('{}', file));
    // It may have been told to follow links, so of one what it leads to counts, too.
    const behind = name === 'rm' ? judgeTree(call.context, file, { access: 'write' }) : null;
    const isAll = name === 'rm' && run.length === 3 && run[1] === '-rf' && run[2] === '{}';
    const bad = behind ?? (isAll ? null : call.judgeInner(words));
    if (bad !== null) return bad;
  }
  return null;
}

/**
 * Names that represent all a program may be given: for a program that only looks or searches, an ordinary one
 * is enough.
 */
export function tellingNames(
  context: PathContext,
  run: readonly string[],
  found: readonly string[],
): readonly string[] {
  const [name = '', ...args] = run;
  const isShown = searchers.has(name) && !/grep$/.test(name);
  const words = args.filter((word) => !word.startsWith('-'));
  const isNarrow =
    /grep$|^rg$/.test(name) &&
    !args.some((arg) => /^-[a-zA-Z]*[vf]|^--(?:inv|file)/.test(arg)) &&
    words.slice(0, 1).every(isSpecific) &&
    words.length > 0;
  if (
    (!isShown && !isNarrow) ||
    found.length < 2 ||
    found.some((one) => /^\/|(?:^|\/)\.\.(?:\/|$)/.test(one))
  )
    return representatives(context, found);
  const readable = found.find((one) => !one.startsWith('-') && judgePath(context, one, 'read') === null);
  return [readable ?? './any-file', ...found.filter((one) => one.startsWith('-')).slice(0, 1)];
}

// They do nothing to a name that is nowhere.
const leavesAlone = new Set(
  'rm sed chmod prettier eslint gofmt goimports rustfmt black ruff isort biome stylelint shellcheck cat head tail wc grep egrep fgrep rg ls stat file du jq sort uniq diff node python python3 pytest nl awk md5sum sha256sum'.split(
    ' ',
  ),
);

/** The words of a line taken apart at blanks; of several, those that name nothing are left out where they do nothing. */
export function splitLine(
  { facts, cwd, makesFiles }: PathContext,
  line: string,
  run: readonly string[],
): readonly string[] {
  const parts = line.split(/\s+/);
  const [name = '', second = ''] = run;
  const isHarmless = leavesAlone.has(name) || (name === 'npx' && leavesAlone.has(second));
  if (parts.length < 2 || makesFiles === true || !isHarmless) return parts;
  return parts.filter(
    (part) => part.startsWith('-') || facts.lstat(part.startsWith('/') ? part : `${cwd}/${part}`) !== null,
  );
}

/** What find prints, where it prints names alone; null: something else. */
export function namesFound(context: PathContext, all: readonly string[]): readonly string[] | null {
  const args = all.filter((arg) => !/^-[HLP]$/.test(arg));
  if (args.some((arg) => /^-(?:exec\w*|ok\w*|printf|fprint\w*|ls|fls)$/.test(arg))) return null;
  const first = args.findIndex((arg) => /^[-(!]/.test(arg));
  const places = first < 0 ? args : args.slice(0, first);
  const follows = linksFollowed(all);
  if (follows !== null && followedLink(context, places.length === 0 ? ['.'] : places, follows) !== null)
    return null;
  return filesFound(context, places.length === 0 ? ['.'] : places, first < 0 ? [] : args.slice(first));
}

/** The files below the places, those left out whose names are surely not asked for; null: too many. */
function filesFound(
  context: PathContext,
  places: readonly string[],
  tests: readonly string[],
): readonly string[] | null {
  const outside = tests.slice(tests.lastIndexOf(')') + 1);
  const isOne =
    !outside.some((arg) => /^-or?$|^,$/.test(arg)) &&
    !tests.some((arg) => /^(?:-not|!)$/.test(arg)) &&
    !tests.slice(0, Math.max(0, tests.indexOf('('))).some((arg) => /^-or?$/.test(arg));
  const names = tests.flatMap((arg, at) =>
    arg === '-name' || arg === '-iname' ? [tests[at + 1] ?? '*'] : [],
  );
  const isNarrowed =
    isOne &&
    names.length > 0 &&
    !tests.some((arg) => /^-i?path$|^-wholename$/.test(arg) && tests.includes('('));
  return filesBelow(
    context,
    places,
    (name) => !isNarrowed || names.some((one) => wildcardMatches(one.toLowerCase(), name.toLowerCase())),
  );
}

/** The names find is asked for, not those it leaves out: `-not -path './x/*'`, `-path ./x -prune -o`. */
function wantedNames(args: readonly string[]): readonly string[] {
  const isGrouped = args.includes('(');
  return args.filter((_, at) => {
    if (!/^-(?:i?name|i?path|wholename)$/.test(args[at - 1] ?? '')) return false;
    let first = at - 1;
    while (/^(?:-not|!)$/.test(args[first - 1] ?? '')) first -= 1;
    const isNegated = (at - 1 - first) % 2 === 1;
    const isLeft = args[at + 1] === '-prune' && /^-or?$/.test(args[at + 2] ?? '') && !isGrouped;
    return !isNegated && !isLeft;
  });
}

function refused(what: string, instead: string): Objection {
  return objection('bash-option', `find ${what} is not among what is known to be safe. ${instead}`);
}
