import { judgeCommitMessage } from '../commit-message.ts';
import type { Access } from '../judge-path.ts';
import { listSome, type Objection, objection } from '../rules.ts';
import { isWild } from './expand-glob.ts';
import { scanOptions } from './options.ts';
import { judgeAll, judgePattern, judgeScanned, type ProgramCall } from './program.ts';

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
  if (rule !== undefined) return rule(inner);
  if (call.trusted === 0) {
    return objection(
      'bash-not-allowed',
      `git ${subcommand} is not among what an agent may do with git: ${listSome(Object.keys(subcommands), 40)}.`,
    );
  }
  return judgeOther(inner);
}

type GitRule = (call: ProgramCall) => Objection | null;

// Values of these may look like paths, and are none.
const valueOptions = new Set(
  '-n -S -G -L -U -l --author --committer --grep --since --after --until --before --max-count --skip --date --format --pretty --diff-filter --diff-algorithm --anchored --word-diff-regex --inter-hunk-context --src-prefix --dst-prefix --line-prefix --find-object --min-parents --max-parents --abbrev --decorate-refs --decorate-refs-exclude --exclude --glob --branches --tags --remotes --encoding --color --stat --sort --contains --merged --no-merged --points-at --count --match --candidates -e -A -B -C -m --max-depth --threads --default --short'.split(
    ' ',
  ),
);
// Runs programs, writes files, reads files outside, or starts another repository.
const dangerous =
  'output ext-diff no-index exec-path git-dir work-tree output-directory open-files-in-pager contents ignore-revs-file pathspec-from-file upload-pack receive-pack exec no-verify edit-description textconv filters config-env super-prefix namespace interactive patch edit template file gpg-sign strategy-option recurse-submodules'.split(
    ' ',
  );
// Complete names that only begin like a dangerous one.
const complete = new Set('text no-ext-diff no-textconv no-patch exclude-standard'.split(' '));

/** git accepts every unique beginning of a long option. */
function dangerousOption(arg: string, allowed: readonly string[] = []): boolean {
  const name = /^--([^=]+)/s.exec(arg)?.[1];
  if (name === undefined || complete.has(name) || allowed.includes(name)) return false;
  return dangerous.some((one) => one.startsWith(name));
}

/** log, diff, show and their like: many harmless options, a few that are not. */
function looking(options: { readonly allowed?: readonly string[]; readonly letters?: RegExp } = {}): GitRule {
  return (call) => {
    const bad = optionsOf(call.args).find(
      (arg) => dangerousOption(arg, options.allowed) || (options.letters ?? /^-O/).test(arg),
    );
    if (bad !== undefined) return gitOption(`${call.name} ${bad}`, 'Leave it out.');
    return judgePathspecs(call, call.args, 'read');
  };
}

function listing(spec: string, operandsWith: readonly string[]): GitRule {
  return (call) => {
    const scanned = scanOptions(spec, call.args);
    const mayNameThings = operandsWith.some((name) => scanned.given.has(name));
    if (scanned.unknown === null && scanned.operands.length > 0 && !mayNameThings) {
      return objection('git-option', `${call.name} only lists here. Use ${call.name} --list PATTERN.`);
    }
    return judgeScanned(call, scanned, 'git-option');
  };
}

/** `git stash list`, `git remote -v`: one word says that it only lists. */
function onlyWith(words: readonly string[]): GitRule {
  return (call) => {
    if (call.trusted > 0) return judgeOther(call);
    const first = call.args[0] ?? '';
    if (words.includes(first)) return looking()({ ...call, args: call.args.slice(1) });
    return objection('git-option', `Of ${call.name} only the following is allowed: ${listSome(words)}.`);
  };
}

const subcommands: Readonly<Record<string, GitRule>> = {
  status: looking({ letters: /^(?!)/ }),
  diff: looking(),
  log: looking(),
  show: looking(),
  shortlog: looking(),
  'rev-list': looking(),
  'diff-tree': looking(),
  'diff-index': looking(),
  'diff-files': looking(),
  'range-diff': looking(),
  'rev-parse': looking({ allowed: ['git-dir'], letters: /^(?!)/ }),
  'ls-files': looking({ letters: /^-X|^--exclude-from|^--exclude-per/ }),
  'ls-tree': looking({ letters: /^(?!)/ }),
  'merge-base': looking({ letters: /^(?!)/ }),
  'name-rev': looking({ letters: /^(?!)/ }),
  'for-each-ref': looking({ letters: /^(?!)/ }),
  'check-ignore': looking({ letters: /^(?!)/ }),
  'count-objects': looking({ letters: /^(?!)/ }),
  'cat-file': looking({ letters: /^(?!)/ }),
  describe: looking({ letters: /^(?!)/ }),
  blame: looking({ letters: /^-S/ }),
  annotate: looking({ letters: /^-S/ }),
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
    call.args.every((arg) => arg === '-v' || arg === '--verbose') ? null : onlyWith(['-v', 'get-url'])(call),
  reflog: (call) => (call.args.length === 0 ? null : onlyWith(['show'])(call)),
  stash: onlyWith(['list', 'show']),
  worktree: onlyWith(['list']),
  add: judgeAdd,
  commit: judgeCommit,
  mv: judgeFiles('-fknv --force --dry-run --verbose'),
  rm: judgeFiles('-fnrq --force --dry-run --cached --quiet --ignore-unmatch'),
  restore: judgeFiles(
    '-SWqs: --source= --staged --worktree --quiet --ours --theirs --progress --no-progress',
  ),
};
// Known, and yet only allowed where the lead names them: they change files or the index.
const namedOnly = new Set(['mv', 'rm', 'restore']);

export function isNamedOnly(subcommand: string): boolean {
  return namedOnly.has(subcommand);
}

function optionsOf(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--');
  return (end < 0 ? args : args.slice(0, end)).filter(
    (arg, at, all) => arg.startsWith('-') && !valueOptions.has(all[at - 1] ?? ''),
  );
}

/** Revisions and pathspecs: nothing outside, nothing blocked, also not by way of `REVISION:path`. */
function judgePathspecs(call: ProgramCall, args: readonly string[], access: Access): Objection | null {
  const end = args.indexOf('--');
  const before = (end < 0 ? args : args.slice(0, end)).filter(
    (arg, at, all) => !arg.startsWith('-') && !valueOptions.has(all[at - 1] ?? ''),
  );
  const after = end < 0 ? [] : args.slice(end + 1);
  for (const one of [...before, ...after]) {
    const found = judgePathspec(call, one, access);
    if (found !== null) return found;
  }
  return null;
}

function judgePathspec(call: ProgramCall, text: string, access: Access): Objection | null {
  if (/^:(?:[!^]|\(exclude\))/.test(text) || text === '') return null;
  if (text.startsWith(':(') || text.startsWith(':/')) {
    return gitOption(text, 'Name paths plainly, relative to where you are.');
  }
  const [, revision, path] = /^([^:]*):(?!\/)(.*)$/s.exec(text) ?? [];
  if (revision === undefined || path === undefined) {
    if (isWild(text)) return judgeWildPathspec(call, text);
    return judgeAll(call.context, [{ path: text, access }]);
  }
  const inTree = /^\.{1,2}\//.test(path) ? call.context.cwd : call.context.policy.worktree;
  const place = path.replace(/^\d:/, '');
  return judgeAll({ ...call.context, cwd: inTree }, place === '' ? [] : [{ path: place, access: 'read' }]);
}

function judgeWildPathspec(call: ProgramCall, text: string): Objection | null {
  const plain = text.slice(0, text.search(/[*?[]/));
  const folder = plain.slice(0, plain.lastIndexOf('/') + 1);
  return (
    judgePattern(call.context, text) ??
    judgeAll(call.context, folder === '' ? [] : [{ path: folder, access: 'read' }])
  );
}

function judgeGrep(call: ProgramCall): Objection | null {
  const bad = optionsOf(call.args).find((arg) => dangerousOption(arg) || /^-(?:O|[A-Za-z]*f)/.test(arg));
  if (bad !== undefined) return gitOption(`git grep ${bad}`, 'Leave it out.');
  const end = call.args.indexOf('--');
  const hasPattern = call.args.some((arg) => /^-[A-Za-z]*e/.test(arg));
  const before = end < 0 ? call.args : call.args.slice(0, end);
  const first = before.findIndex(
    (arg, at) => !arg.startsWith('-') && !valueOptions.has(before[at - 1] ?? ''),
  );
  const args = hasPattern || first < 0 ? call.args : call.args.filter((_, at) => at !== first);
  return judgePathspecs(call, args, 'read');
}

function judgeAdd(call: ProgramCall): Objection | null {
  const scanned = scanOptions(
    '-AuvnN --all --no-all --update --verbose --dry-run --intent-to-add --ignore-errors --ignore-missing --refresh --chmod= --no-ignore-removal --ignore-removal --sparse',
    call.args,
  );
  return (
    judgeScanned(call, scanned, 'git-option') ?? judgePathspecs(call, ['--', ...scanned.operands], 'stage')
  );
}

function judgeFiles(spec: string): GitRule {
  return (call) => {
    const scanned = scanOptions(spec, call.args);
    return (
      judgeScanned(call, scanned, 'git-option') ?? judgePathspecs(call, ['--', ...scanned.operands], 'write')
    );
  };
}

function judgeCommit(call: ProgramCall): Objection | null {
  const scanned = scanOptions(
    '-aqvsio -m: -F: --all --quiet --verbose --no-verbose --signoff --no-signoff --message= --file= --amend --no-edit --allow-empty --trailer= --dry-run --short --porcelain --status --no-status --only --include --no-gpg-sign --reset-author --cleanup= --long --branch --no-post-rewrite -u[=] --untracked-files[=]',
    call.args,
  );
  if (scanned.unknown !== null) {
    return gitOption(`git commit ${scanned.unknown}`, 'Commit with: git commit -m "MESSAGE".');
  }
  const cleanup = scanned.given.get('cleanup') ?? [];
  if (cleanup.some((mode) => !['default', 'strip', 'whitespace'].includes(mode))) {
    return gitOption('git commit --cleanup', 'Leave it out.');
  }
  return judgeMessage(call, scanned.given) ?? judgePathspecs(call, ['--', ...scanned.operands], 'stage');
}

function judgeMessage(call: ProgramCall, given: ReadonlyMap<string, readonly string[]>): Objection | null {
  const files = [...(given.get('F') ?? []), ...(given.get('file') ?? [])];
  if (files.some((file) => file !== '-') || (files.length > 0 && call.input === null)) {
    return objection(
      'commit-message',
      "A message from a file can't be checked. Write: git commit -m \"MESSAGE\", or git commit -F - <<'EOF' with the text.",
    );
  }
  const texts = messageTexts(call.args);
  if (files.length > 0) return judgeCommitMessage(call.context.policy, call.input ?? '');
  if (texts.length > 0) return judgeCommitMessage(call.context.policy, texts.join('\n\n'));
  if (given.has('no-edit') && given.has('amend')) return null;
  if (given.has('dry-run') || given.has('short') || given.has('porcelain')) return null;
  return objection(
    'commit-message',
    'There is no editor here. Write the message with: git commit -m "MESSAGE".',
  );
}

/** The texts of -m and --message in the order written: the first is the subject. */
function messageTexts(args: readonly string[]): readonly string[] {
  const rest = [...args].reverse();
  const texts: string[] = [];
  for (let arg = rest.pop(); arg !== undefined && arg !== '--'; arg = rest.pop()) {
    const long = /^--message(?:=(.*))?$/s.exec(arg);
    const short = /^-[aqvsio]*m(.*)$/s.exec(arg);
    if (long !== null) texts.push(long[1] ?? rest.pop() ?? '');
    else if (short !== null) texts.push(short[1] || (rest.pop() ?? ''));
    else if (/^-[aqvsio]*F$|^--(?:file|trailer|cleanup)$/.test(arg)) rest.pop();
  }
  return texts;
}

/** A subcommand the lead named and the policy has no rule for: only what is plainly dangerous is refused. */
function judgeOther(call: ProgramCall): Objection | null {
  const bad = call.args.find((arg) => dangerousOption(arg) || /^-[xcO]/.test(arg));
  if (bad !== undefined) return gitOption(`${call.name} ${bad}`, 'Leave it out.');
  return judgePathspecs(call, call.args, 'read');
}

function gitOption(what: string, instead: string): Objection {
  return objection(
    'git-option',
    `${what} is refused: it can run programs, skip checks or reach elsewhere. ${instead}`,
  );
}
