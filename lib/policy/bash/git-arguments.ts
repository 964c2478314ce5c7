import type { Access } from '../judge-path.ts';
import { judgeTree } from '../judge-tree.ts';
import { type Objection, objection } from '../rules.ts';
import { isWild } from './expand-glob.ts';
import { judgeAll, judgePattern, type ProgramCall } from './program.ts';

// Options whose value is the next argument. One too many here, and a path or an option passes unseen.
export const noValues: ReadonlySet<string> = new Set();
/** Of log, diff and whatever else walks revisions. */
export const revisionValues = wordSet(
  '-n -S -G -L -U -l -I --author --committer --grep --grep-reflog --since --after --until --before --since-as-filter --max-count --skip --max-age --min-age --date --diff-filter --diff-algorithm --diff-merges --anchored --word-diff-regex --inter-hunk-context --src-prefix --dst-prefix --line-prefix --find-object --decorate-refs --decorate-refs-exclude --exclude --glob --encoding --stat-width --stat-name-width --stat-count --ignore-matching-lines --ws-error-highlight --color-moved-ws --output-indicator-new --output-indicator-old',
);
export const grepValues = wordSet(
  '-e -A -B -C -m --max-count --max-depth --threads --after-context --before-context --context',
);
/** Of what lists refs. */
export const refValues = wordSet('--sort --format --count --points-at --contains --no-contains');

// Runs programs, writes files, reads files outside or lists of names, or starts another repository.
const dangerous = [
  ...wordSet(
    'output ext-diff no-index exec-path git-dir work-tree output-directory open-files-in-pager contents ignore-revs-file pathspec-from-file upload-pack receive-pack exec no-verify edit-description textconv filters config-env super-prefix namespace interactive patch edit template file gpg-sign show-signature strategy-option recurse-submodules stdin batch batch-check batch-command batch-all-objects help',
  ),
];
// Complete names that only begin like a dangerous one.
const complete = wordSet('text no-ext-diff no-textconv no-patch exclude-standard');

/**
 * Whether an argument is an option that is refused wherever it stands: git accepts every unique beginning of a long
 * one, and what looks like the value of another option, or like a path after `--`, may be read otherwise.
 */
export function dangerousOption(arg: string, allowed: readonly string[] = []): boolean {
  const name = /^--([^=]+)/s.exec(arg)?.[1];
  // Signatures are checked by the program that gpg.program names.
  if (name === undefined || /^--(?:format|pretty)=.*(?:%[-+ ]?G|%\(signature)/s.test(arg))
    return name !== undefined;
  if (complete.has(name) || allowed.includes(name)) return false;
  return dangerous.some((one) => one.startsWith(name));
}

/** The arguments that are neither options nor values of options, with their places. */
export function operandsOf(
  args: readonly string[],
  values: ReadonlySet<string>,
): readonly { readonly at: number; readonly text: string }[] {
  const found: { readonly at: number; readonly text: string }[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const text = args[at] ?? '';
    if (text === '--')
      return [...found, ...args.slice(at + 1).map((one, i) => ({ at: at + 1 + i, text: one }))];
    if (values.has(text)) at += 1;
    else if (!text.startsWith('-')) found.push({ at, text });
  }
  return found;
}

/** Revisions and pathspecs: nothing outside, nothing blocked, also not by way of `REVISION:path` or `-L 1,5:path`. */
export function judgePathspecs(
  call: ProgramCall,
  args: readonly string[],
  options: { readonly access: Access; readonly values?: ReadonlySet<string> },
): Objection | null {
  const values = options.values ?? noValues;
  for (const { text } of operandsOf(args, values)) {
    const found = judgePathspec(call, text, options.access);
    if (found !== null) return found;
  }
  return judgeAll(call.context, values.has('-L') ? tracedFiles(args) : []);
}

export function gitOption(what: string, instead: string): Objection {
  return objection(
    'git-option',
    `${what} is refused: it can run programs, skip checks or reach elsewhere. ${instead}`,
  );
}

function judgePathspec(call: ProgramCall, written: string, access: Access): Objection | null {
  const changes = access === 'write' || access === 'remove';
  // Where nothing is shown, `:path` is the path alone.
  const text = access === 'read' ? written : written.replace(/^:(?=[^:!^(/])/, '');
  if (/^:(?:[!^]|\(exclude\))/.test(text) || text === '') {
    return changes ? gitOption(written, 'Name the files to change, not those to leave out.') : null;
  }
  if (text.startsWith(':(') || text.startsWith(':/')) {
    return gitOption(text, 'Name paths plainly, relative to where you are.');
  }
  const inTrees = treePaths(text);
  if (inTrees.length === 0) {
    if (isWild(text)) return judgeWildPathspec(call, text, access);
    return changes
      ? judgeTree(call.context, text, { access })
      : judgeAll(call.context, [{ path: text, access }]);
  }
  for (const path of inTrees) {
    const cwd = /^\.{1,2}\//.test(path) ? call.context.cwd : call.context.policy.worktree;
    const found = judgeAll({ ...call.context, cwd }, [{ path, access: 'read' }]);
    if (found !== null) return found;
  }
  return null;
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

/** The files of `-L 1,5:path` and `-L:name:path`, attached or not. */
function tracedFiles(args: readonly string[]): readonly { readonly path: string; readonly access: 'read' }[] {
  return args.flatMap((arg, at) => {
    const before = args[at - 1] ?? '';
    // Letters may stand together: -qL1,5:path.
    const range = /^-[a-z]*L$/.test(before) ? arg : (/^-[a-z]*L(.+)$/s.exec(arg)?.[1] ?? '');
    const path = /:([^:]+)$/.exec(range)?.[1];
    return path === undefined ? [] : [{ path, access: 'read' as const }];
  });
}

function judgeWildPathspec(call: ProgramCall, text: string, access: Access): Objection | null {
  if (access === 'write' || access === 'remove')
    return gitOption(text, 'Name the files to change one by one.');
  const plain = text.slice(0, text.search(/[*?[]/));
  const folder = plain.slice(0, plain.lastIndexOf('/') + 1);
  return (
    judgePattern(call.context, text) ??
    judgeAll(call.context, folder === '' ? [] : [{ path: folder, access: 'read' }])
  );
}

function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}
