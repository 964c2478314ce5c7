import { judgeCommitMessage } from '../check-commit.ts';
import { type Access, judgePath } from '../judge-path.ts';
import { createObjection, type PolicyObjection } from '../policy-rules.ts';
import { judgeChangedPath } from './judge-changed-files.ts';
import { judgePathsInWord } from './judge-mentioned-paths.ts';
import { findFirstObjection, type ProgramCall } from './program-call.ts';
import { unknownTextMarks } from './shell-command-types.ts';

// Options whose value is the next argument, and no path. One too many, and a path passes unseen: letters differ by subcommand.
const longValues =
  /^--(?:author|committer|grep|grep-reflog|since|after|until|before|since-as-filter|max-count|skip|max-age|min-age|date|diff-filter|diff-algorithm|trailer|after-context|before-context|max-depth|threads|sort|points-at)$/;
const letterValues: readonly (readonly [names: RegExp, letters: RegExp])[] = [
  [/^git (?:log|show|diff|rev-list|reflog|stash|whatchanged|diff-\w+|range-diff)$/, /^-[nSGLUlI]$/],
  [/^git grep$/, /^-[eABCm]$/],
  [/^git (?:blame|annotate)$/, /^-L$/],
  [/^git restore$/, /^(?:-s|--source)$/],
  [/^git (?:merge|revert|cherry-pick)$/, /^-m$/],
];

function takesValue(name: string, option: string): boolean {
  return longValues.test(option) || letterValues.some(([names, letters]) => names.test(name) && letters.test(option));
}

// Runs programs, writes files, reads files outside or lists of names, or starts another repository.
const dangerous =
  'output ext-diff no-index exec-path git-dir work-tree output-directory open-files-in-pager contents ignore-revs-file pathspec-from-file upload-pack receive-pack exec no-verify edit-description textconv filters config-env super-prefix namespace interactive patch edit template file gpg-sign show-signature strategy-option recurse-submodules stdin batch batch-check batch-command batch-all-objects help'.split(
    ' ',
  );
// Complete names that only begin like a dangerous one.
const complete = new Set('text no-ext-diff no-textconv no-patch exclude-standard'.split(' '));

/**
 * Whether an argument is an option that is refused wherever it stands: git accepts every unique beginning of a long
 * one, and what looks like the value of another option, or like a path after `--`, may be read otherwise.
 */
export function isDangerousGitOption(arg: string, allowed: readonly string[] = []): boolean {
  const name = /^--([^=]+)/s.exec(arg)?.[1];
  // Signatures are checked by the program that gpg.program names.
  if (name === undefined || /^--(?:format|pretty)=.*(?:%[-+ ]?G|%\(signature)/s.test(arg)) return name !== undefined;
  if (complete.has(name) || allowed.includes(name)) return false;
  return dangerous.some((one) => one.startsWith(name));
}

export function gitOptionObjection(what: string, instead: string): PolicyObjection {
  return createObjection(
    'git-option',
    `${what} is refused: it can run programs, skip checks or reach other repositories. ${instead}`,
  );
}

/** The arguments that are neither options nor values of options. */
function operandsOf(name: string, args: readonly string[]): readonly string[] {
  const end = args.indexOf('--');
  const before = end < 0 ? args : args.slice(0, end);
  const given = before.filter((arg, at) => !arg.startsWith('-') && !takesValue(name, before[at - 1] ?? ''));
  return end < 0 ? given : [...given, ...args.slice(end + 1)];
}

/** Revisions and pathspecs: nothing outside, nothing hidden, also not by way of `REVISION:path` or `-L 1,5:path`. */
export function judgePathspecs(call: ProgramCall, args: readonly string[], access: Access): PolicyObjection | null {
  const traced = args.flatMap((arg, at) => {
    // Letters may stand together: -qL1,5:path.
    const range = /^-[a-z]*L$/.test(args[at - 1] ?? '') ? arg : (/^-[a-z]*L(.+)$/s.exec(arg)?.[1] ?? '');
    return /:([^:]+)$/.exec(range)?.[1] ?? [];
  });
  const isPattern = call.name === 'git grep' && !args.some((arg) => /^-[A-Za-z]*e/.test(arg));
  const operands = operandsOf(call.name, args).slice(isPattern ? 1 : 0);
  return (
    findFirstObjection(operands, (text) => judgePathspec(call, text, access)) ??
    findFirstObjection(traced, (path) => judgePath(call.context, path, 'read'))
  );
}

function judgePathspec({ context }: ProgramCall, written: string, access: Access): PolicyObjection | null {
  const changes = access === 'write' || access === 'remove';
  // Where nothing is shown, `:path` is the path alone.
  const text = access === 'read' ? written : written.replace(/^:(?=[^:!^(/])/, '');
  if (/^:(?:[!^]|\(exclude\))/.test(text) || text === '')
    return changes ? gitOptionObjection(written, 'Name the files to change, not those to exclude.') : null;
  if (text.startsWith(':(') || text.startsWith(':/'))
    return gitOptionObjection(text, 'Write plain paths, relative to the current folder.');
  const inTrees = treePaths(text);
  if (inTrees.length > 0)
    return findFirstObjection(inTrees, (path) => {
      const cwd = /^\.{1,2}\//.test(path) ? context.cwd : context.policy.worktree;
      return judgePathsInWord({ ...context, cwd }, path, 'file');
    });
  if (changes && /[*?[]/.test(text)) return gitOptionObjection(text, 'Name the files to change one by one.');
  if (access === 'read') return judgePathsInWord(context, text, 'file');
  if (unknownTextMarks.isIn(text)) return judgeChangedPath(context, text, access);
  if (changes) return judgeChangedPath(context, text, access);
  // Files that a wildcard stages are judged when they are committed.
  return /[*?[]/.test(text) ? null : judgePath(context, text, access);
}

/** The paths of `REVISION:path` and `REVISION:path..REVISION:path`. */
function treePaths(text: string): readonly string[] {
  const [, left = '', right = ''] = /^(.*?)\.\.\.?(.*)$/s.exec(text) ?? [];
  return [text, left, right].map(treePath).filter((path) => path !== '');
}

/** git looks for the first colon outside braces (`HEAD@{1 day}:path`); `:2:path` is a stage of the index. */
function treePath(text: string): string {
  let depth = 0;
  for (const [at, character] of [...text].entries()) {
    if (character === '{') depth += 1;
    else if (character === '}' && depth > 0) depth -= 1;
    else if (character === ':' && depth === 0) {
      const path = [...text].slice(at + 1).join('');
      return path.startsWith('/') ? '' : path.replace(/^\d:/, '');
    }
  }
  return '';
}

/** Lists the files `git checkout` overwrites: those after `--`, and those named like a revision; null: not checkout. */
export function listFilesCheckoutRestores({
  name,
  args,
  context: { facts, cwd },
}: ProgramCall): { readonly revisions: readonly string[]; readonly files: readonly string[] } | null {
  if (name !== 'git checkout') return null;
  const end = args.indexOf('--');
  const revisions = operandsOf(name, end < 0 ? args : args.slice(0, end));
  const files = revisions.filter(
    (text, at) => (at > 0 && end < 0) || /[*?[:]/.test(text) || facts.lstat(`${cwd}/${text}`) !== null,
  );
  return { revisions, files: ['--', ...(end < 0 ? files : args.slice(end + 1))] };
}

/** `git checkout -- FILE` is an older `git restore FILE`, and `git reset HEAD FILE` an older `git restore --staged FILE`. */
export function isFileRestoringCommand(context: ProgramCall['context'], args: readonly string[]): boolean {
  const [subcommand, ...words] = args;
  if (!/^(?:checkout|reset)$/.test(subcommand ?? '')) return false;
  const others = subcommand === 'reset' ? words.filter((word, at) => !(at === 0 && word === 'HEAD')) : words;
  if (others.length === 0) return false;
  const end = others.indexOf('--');
  if (end >= 0) return end < 2 && end < others.length - 1 && !others.slice(0, end).some((one) => one.startsWith('-'));
  return others.every((one) => /^\w/.test(one) && context.facts.lstat(`${context.cwd}/${one}`) !== null);
}

const flags =
  /^-[aqvsio]+$|^--(?:all|quiet|verbose|no-verbose|signoff|no-signoff|amend|no-edit|allow-empty|dry-run|short|porcelain|status|no-status|only|include|no-gpg-sign|reset-author|long|branch|no-post-rewrite)$|^-u\w*$|^--untracked-files(?:=\w+)?$|^--cleanup=(?:default|strip|whitespace)$/;

/** Its message must be on the command line, and keep to the rules of messages. */
export function judgeGitCommitCommand({ context, args, input, ...call }: ProgramCall): PolicyObjection | null {
  const messages: string[] = [];
  const files: string[] = [];
  const paths: string[] = [];
  const rest = [...args].reverse();
  for (let arg = rest.pop(); arg !== undefined; arg = rest.pop()) {
    const [, long, attached] = /^--(message|file|trailer|cleanup)(?:=(.*))?$/s.exec(arg) ?? [];
    const [, letter, tail = ''] = /^-[aqvsio]*([mF])(.*)$/s.exec(arg) ?? [];
    if (arg === '--') paths.push(...rest.splice(0).reverse());
    else if (flags.test(arg)) continue;
    else if (letter !== undefined) (letter === 'm' ? messages : files).push(tail || (rest.pop() ?? ''));
    else if (long === 'message' || long === 'file')
      (long === 'file' ? files : messages).push(attached ?? rest.pop() ?? '');
    else if (long === 'trailer') rest.splice(rest.length - (attached === undefined ? 1 : 0));
    else if (arg.startsWith('-'))
      return gitOptionObjection(`git commit ${arg}`, 'Commit with: git commit -m "MESSAGE".');
    else paths.push(arg);
  }
  return (
    judgeMessage(context, { messages, files, input, args }) ??
    judgePathspecs({ ...call, context, args, input }, ['--', ...paths], 'stage')
  );
}

interface Given {
  readonly messages: readonly string[];
  readonly files: readonly string[];
  readonly input: string | null;
  readonly args: readonly string[];
}

function judgeMessage(
  { policy }: ProgramCall['context'],
  { messages, files, input, args }: Given,
): PolicyObjection | null {
  if (files.some((file) => file !== '-') || (files.length > 0 && input === null))
    return createObjection(
      'commit-message',
      "A message from a file can't be checked. Write: git commit -m \"MESSAGE\", or git commit -F - <<'EOF' with the text.",
    );
  const text = files.length > 0 ? (input ?? '') : messages.join('\n\n');
  // Its first words must be there to be judged; the post-check reads the whole.
  if (/^[\u0001-\u0007]/.test(text))
    return createObjection('commit-message', 'Write the first words of the message as plain text.');
  if (files.length > 0 || messages.length > 0) return judgeCommitMessage(policy, unknownTextMarks.shown(text));
  const has = (name: string): boolean => args.includes(name);
  if (has('--no-edit') && has('--amend')) return null;
  if (has('--dry-run') || has('--short') || has('--porcelain')) return null;
  return createObjection('commit-message', 'There is no editor here. Write the message with: git commit -m "MESSAGE".');
}
