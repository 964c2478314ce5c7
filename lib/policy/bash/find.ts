import { type Objection, objection } from '../rules.ts';
import { judgeAll, judgePattern, type ProgramCall } from './program.ts';

const tests = new Set(
  '-name -iname -path -ipath -wholename -regex -iregex -regextype -type -xtype -size -empty -maxdepth -mindepth -depth -mtime -mmin -atime -amin -ctime -cmin -newer -newermt -samefile -perm -user -group -not -a -and -o -or -print -print0 -printf -ls -prune -quit -true -false -xdev -mount -daystart -follow -readable -writable -executable -links -inum -L -P -H'.split(
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
    ) ?? judgeRuns(call, places.length === 0 ? ['.'] : places, parts)
  );
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

function judgeRuns(call: ProgramCall, places: readonly string[], parts: FindParts): Objection | null {
  for (const run of parts.runs) {
    const [name = '', ...words] = run;
    const isLooking =
      searchers.has(name) &&
      words.includes('{}') &&
      words.every((word) => word === '{}' || !word.includes('{}'));
    if (!isLooking || places.some((place) => place.startsWith('-')))
      return refused(`-exec ${name}`, 'It may run grep, wc, ls and the like on {}.');
    const inner = run.flatMap((word) => (word === '{}' ? places : [word]));
    const found = call.judgeInner(inner);
    if (found !== null) return found;
  }
  if (parts.runs.length === 0) return null;
  if (parts.tests.length > 200 || parts.tests.some((arg) => /^-i?regex$/.test(arg)))
    return refused('-regex with -exec', 'Ask for a few names with -name or -path.');
  // The files it opens are those it looks for by name.
  const { policy, cwd } = call.context;
  const here = cwd === policy.worktree ? '' : `${cwd.slice(policy.worktree.length + 1)}/`;
  const wanted = wantedNames(parts.tests).map((one) => one.replace(/^(?:\.\/)+/, here));
  return wanted.map((one) => judgePattern(call.context, one)).find((one) => one !== null) ?? null;
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
