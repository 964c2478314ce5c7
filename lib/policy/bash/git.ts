import type { Access } from '../judge-path.ts';
import { listSome, type Objection, objection } from '../rules.ts';
import {
  dangerousOption,
  gitOption,
  grepValues,
  judgePathspecs,
  noValues,
  operandsOf,
  refValues,
  revisionValues,
} from './git-arguments.ts';
import { changingRules, judgeOther } from './git-changes.ts';
import { judgeCommit } from './git-commit.ts';
import { judgeShown, judgeTreeSearch } from './git-shown.ts';
import { scanOptions } from './options.ts';
import { type ProgramRule as GitRule, judgeScanned, type ProgramCall } from './program.ts';
import { isSpecific, judgeWideSearch } from './wide-search.ts';

/** The arguments of git without the global options that change nothing but its output. */
export function withoutGlobalOptions(args: readonly string[]): readonly string[] {
  const harmless = ['--no-pager', '-P', '--no-optional-locks', '--literal-pathspecs', '--no-replace-objects'];
  const first = args.findIndex((arg) => !harmless.includes(arg));
  return first < 0 ? [] : args.slice(first);
}

/** Judges git by its subcommand. `args` come without harmless global options; any other is refused. */
export function judgeGit(call: ProgramCall): Objection | null {
  const [subcommand = '', ...args] = call.args;
  if (['--version', 'version'].includes(subcommand)) return null;
  if (subcommand.startsWith('-')) {
    return gitOption(subcommand, 'Run git in the worktree, without options before the subcommand.');
  }
  const rule = subcommands[subcommand];
  const rest = args.slice(Math.max(0, call.trusted - 1));
  const inner = { ...call, name: `git ${subcommand}`, args: rest, trusted: Math.max(0, call.trusted - 1) };
  if (rule !== undefined) return rule(inner) ?? judgeShown({ ...inner, args });
  if (call.trusted === 0) {
    return objection(
      'bash-not-allowed',
      `git ${subcommand} is not among what an agent may do with git: ${listSome(Object.keys(subcommands), 40)}.`,
    );
  }
  return judgeOther(inner) ?? judgeShown({ ...inner, args });
}

interface Looking {
  /** Dangerous names that do no harm here. */
  readonly allowed?: readonly string[];
  /** Short options that are refused. */
  readonly letters?: RegExp;
  readonly values?: ReadonlySet<string>;
}

/** log, diff, show and their like: many harmless options, a few that are not. */
function looking(options: Looking = {}): GitRule {
  const values = options.values ?? revisionValues;
  return (call) => {
    const bad = call.args.find(
      (arg) =>
        dangerousOption(arg, options.allowed ?? patches) ||
        (options.letters ?? /^-(?![SGLIn-])[A-Za-z]*O/).test(arg),
    );
    if (bad !== undefined) return gitOption(`${call.name} ${bad}`, 'Leave it out.');
    return judgePathspecs(call, call.args, { access: 'read', values });
  };
}

function listing(spec: string, operandsWith: readonly string[]): GitRule {
  return (call) => {
    const scanned = scanOptions(spec, call.args);
    // Signatures are checked by the program that gpg.program names.
    if (scanned.given.get('format')?.some((one) => one.includes('%(signature')) === true)
      return gitOption(`${call.name} --format`, 'Leave the signature out.');
    const mayNameThings = operandsWith.some((name) => scanned.given.has(name));
    if (scanned.unknown === null && scanned.operands.length > 0 && !mayNameThings) {
      return objection('git-option', `${call.name} only lists here. Use ${call.name} --list PATTERN.`);
    }
    return judgeScanned(call, scanned, 'git-option');
  };
}

/** `git stash list`, `git reflog show`: the first word says that it only lists. */
function onlyWith(words: readonly string[]): GitRule {
  return (call) => {
    if (call.trusted > 0) return judgeOther(call);
    const first = call.args[0] ?? '';
    if (words.includes(first)) return looking()({ ...call, args: call.args.slice(1) });
    return objection('git-option', `Of ${call.name} only the following is allowed: ${listSome(words)}.`);
  };
}

// Of what looks it shows more; only what changes something asks with it.
const patches = ['patch', 'patch-with-stat', 'patch-with-raw'];
const never = /^(?!)/;
const blameValues = new Set(['-L', '--since', '--after', '--before', '--until', '--date', '--encoding']);
const subcommands: Readonly<Record<string, GitRule>> = {
  status: looking({ letters: never, values: noValues }),
  diff: looking(),
  log: looking(),
  show: looking(),
  shortlog: looking({ values: new Set([...revisionValues].filter((name) => name !== '-n')) }),
  'rev-list': looking(),
  'diff-tree': looking(),
  'diff-index': looking(),
  'diff-files': looking(),
  'range-diff': looking(),
  'rev-parse': looking({ allowed: ['git-dir'], letters: never, values: new Set(['--default']) }),
  'ls-files': looking({
    letters: /^-[a-z]*X|^--exclude-[fp]/,
    values: new Set(['-x', '--exclude', '--format']),
  }),
  'ls-tree': looking({ letters: never, values: new Set(['--format']) }),
  'merge-base': looking({ letters: never, values: noValues }),
  'name-rev': looking({ letters: never, values: new Set(['--refs']) }),
  'for-each-ref': looking({ letters: never, values: refValues }),
  'check-ignore': looking({ letters: never, values: noValues }),
  'count-objects': looking({ letters: never, values: noValues }),
  'cat-file': looking({ letters: never, values: noValues }),
  describe: looking({ letters: never, values: new Set(['--match', '--exclude', '--candidates']) }),
  blame: looking({ letters: /^-[a-z]*S/, values: blameValues }),
  annotate: looking({ letters: /^-[a-z]*S/, values: blameValues }),
  grep: judgeGrep,
  branch: listing(
    '-alrvqi --all --list --remotes --verbose --show-current --contains[=] --no-contains[=] --merged[=] --no-merged[=] --points-at= --sort= --format= --color[=] --no-color --column[=] --no-column --abbrev[=] --no-abbrev --ignore-case',
    ['l', 'list', 'contains', 'no-contains', 'merged', 'no-merged'],
  ),
  tag: listing(
    '-ln -# --list --contains[=] --no-contains[=] --merged[=] --no-merged[=] --points-at= --sort= --format= --column[=]',
    ['l', 'list', 'contains', 'merged'],
  ),
  remote: (call) =>
    call.args.every((arg) => arg === '-v' || arg === '--verbose') ? null : onlyWith(['get-url'])(call),
  reflog: (call) => (call.args.every((arg) => /^-\d+$/.test(arg)) ? null : onlyWith(['show'])(call)),
  stash: onlyWith(['list', 'show']),
  worktree: onlyWith(['list']),
  add: judgeAdd,
  commit: judgeCommit,
  mv: judgeFiles('-fknv --force --dry-run --verbose', 'write'),
  rm: judgeFiles('-fnrq --force --dry-run --cached --quiet --ignore-unmatch', 'remove'),
  restore: judgeRestore,
  ...changingRules,
};
// Known, and yet only allowed where the lead names them: they change files, the index or the repository.
const namedOnly = new Set(['mv', 'rm', 'restore', ...Object.keys(changingRules)]);

/** Whether the policy has a rule of its own for it, so that an alias or another program isn't taken for git. */
export function isKnownSubcommand(subcommand: string): boolean {
  return Object.hasOwn(subcommands, subcommand);
}

export function isNamedOnly(subcommand: string): boolean {
  return namedOnly.has(subcommand);
}

function judgeGrep(call: ProgramCall): Objection | null {
  const bad = call.args.find((arg) => dangerousOption(arg) || /^-(?!-)[^e]*[Of]/.test(arg));
  if (bad !== undefined) return gitOption(`git grep ${bad}`, 'Leave it out.');
  const hasPattern = call.args.some((arg) => /^-[A-Za-z]*e/.test(arg));
  const pattern = hasPattern ? -1 : (operandsOf(call.args, grepValues)[0]?.at ?? -1);
  const args = call.args.filter((_, at) => at !== pattern);
  const texts = hasPattern
    ? call.args.flatMap((arg, at) => (/^-[A-Za-z]*e$/.test(arg) ? [call.args[at + 1] ?? ''] : []))
    : [call.args[pattern] ?? ''];
  const places = operandsOf(args, grepValues).map((one) => one.text);
  const isQuiet = call.args.some((arg) =>
    /^-[a-zA-Z]*[lLcq]|^--(?:files-with|name-only|count|quiet)/.test(arg),
  );
  // What is neither there nor a pathspec is a revision, searched whole or in the places beside it.
  const files = places.filter((place) => isThere(call, place) || /^:|^[^:^@~{}]*[*?[]/.test(place));
  const wide = isQuiet || (texts.length > 0 && texts.every(isSpecific)) ? null : judgeSearched(call, files);
  if (wide !== null) return wide;
  const end = operandsOf(args.slice(0, args.includes('--') ? args.indexOf('--') : args.length), grepValues);
  const trees = end.map((one) => one.text).filter((place) => !files.includes(place));
  const isOpen = texts.length === 0 || !texts.every(isSpecific);
  return (
    judgePathspecs(call, args, { access: 'read', values: grepValues }) ??
    (isQuiet
      ? null
      : judgeTreeSearch(call, { trees, below: places.filter((one) => !trees.includes(one)), isOpen }))
  );
}

/** What pathspecs have searched: the places there are, all but what is left out, what globs find at any depth. */
function judgeSearched(call: ProgramCall, files: readonly string[]): Objection | null {
  const excluded = files.flatMap((file) => /^:(?:[!^]|\(exclude\))(.*)$/s.exec(file)?.[1] ?? []);
  const wanted = files.filter((file) => !file.startsWith(':'));
  const places = wanted.filter((file) => isThere(call, file));
  const globs = wanted.filter((file) => !places.includes(file));
  const isLeftOut = (below: string): boolean =>
    excluded.some((path) => below === path || below.startsWith(`${path}/`));
  const isFound = (below: string): boolean =>
    globs.length === 0 || globs.some((glob) => below.endsWith(/^\*([^*?[\\]*)$/.exec(glob)?.[1] ?? ''));
  const isAll = globs.length > 0 || wanted.length === 0;
  const all = isAll
    ? judgeWideSearch(call.context, { places: [], takes: (below) => isFound(below) && !isLeftOut(below) })
    : null;
  return all ?? (places.length > 0 ? judgeWideSearch(call.context, { places }) : null);
}

function isThere({ context }: ProgramCall, place: string): boolean {
  return context.facts.lstat(place.startsWith('/') ? place : `${context.cwd}/${place}`) !== null;
}

function judgeAdd(call: ProgramCall): Objection | null {
  const scanned = scanOptions(
    '-AuvnN --all --no-all --update --verbose --dry-run --intent-to-add --ignore-errors --ignore-missing --refresh --chmod= --no-ignore-removal --ignore-removal --sparse',
    call.args,
  );
  return (
    judgeScanned(call, scanned, 'git-option') ??
    judgePathspecs(call, ['--', ...scanned.operands], { access: 'stage' })
  );
}

function judgeFiles(spec: string, access: Access): GitRule {
  return (call) => {
    const scanned = scanOptions(spec, call.args);
    return (
      judgeScanned(call, scanned, 'git-option') ??
      judgePathspecs(call, ['--', ...scanned.operands], { access })
    );
  };
}

/** With --staged alone the files stay as they are. */
function judgeRestore(call: ProgramCall): Objection | null {
  const scanned = scanOptions(
    '-SWqs: --source= --staged --worktree --quiet --ours --theirs --progress --no-progress',
    call.args,
  );
  const has = (...names: readonly string[]): boolean => names.some((name) => scanned.given.has(name));
  const access = has('S', 'staged') && !has('W', 'worktree') ? 'stage' : 'write';
  return (
    judgeScanned(call, scanned, 'git-option') ?? judgePathspecs(call, ['--', ...scanned.operands], { access })
  );
}
