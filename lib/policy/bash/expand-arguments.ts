import { judgePath, type PathContext } from '../judge-path.ts';
import { listSome, type Objection, objection } from '../rules.ts';
import { expandGlob } from './expand-glob.ts';
import { aimedAt, aimsAtProtected } from './program.ts';
import type { Word } from './syntax.ts';

// What they do with a number can't depend on which one it is.
const statusFriendly = new Set(['echo', 'printf', 'test', '[']);
// Options that a file name could turn into do no harm here.
const wildFriendly = new Set([
  'ls',
  'cat',
  'head',
  'tail',
  'wc',
  'echo',
  'grep',
  'mkdir',
  'file',
  'stat',
  'du',
  'basename',
  'dirname',
]);
// A name like -v makes them run what is in an index.
const neverOptions = new Set(['test', '[', 'printf']);

/** The arguments as the program gets them: wildcards replaced by names, and nothing in them only bash would know. */
export function expandArguments(
  context: PathContext,
  name: string,
  args: readonly Word[],
): { readonly words: readonly string[] } | Objection {
  const words: string[] = [];
  let isAfterEnd = false;
  for (const [at, arg] of args.entries()) {
    const unknown = judgeUnknown(name, arg) ?? judgeOutput(name, args, at);
    if (unknown !== null) return unknown;
    if (arg.text === '--') isAfterEnd = true;
    const isFriendly = isAfterEnd || wildFriendly.has(name) || (name === 'git' && words[0] === 'add');
    if (arg.isGlob && neverOptions.has(name) && /^[-*?[]/.test(arg.text))
      return objection(
        'bash-dynamic',
        `${arg.text} could turn file names into options. Write ./${arg.text}.`,
      );
    const found = arg.isGlob ? expandWord(context, arg, isFriendly || neverOptions.has(name)) : [arg.text];
    if ('rule' in found) return found;
    words.push(...found);
  }
  return { words };
}

/** What a word may hold that is not known yet. */
function judgeUnknown(name: string, { unknown }: Word): Objection | null {
  if (unknown !== 'status' || statusFriendly.has(name)) return null;
  return objection(
    'bash-dynamic',
    `$? can only be shown or compared. Use it with ${listSome([...statusFriendly])}.`,
  );
}

/** A message, or whom and what a log is searched for: what is in it changes nothing. The post-check reads messages, too. */
function isGitText(args: readonly Word[], at: number): boolean {
  const [subcommand, text, before] = [args[0]?.text, args[at]?.text ?? '', args[at - 1]?.text ?? ''];
  if (subcommand === 'log') return /^--(?:author|committer|grep|since|until|after|before)=/.test(text);
  // Its first words must be there to be judged.
  const isSubject = /^(?:-[aqs]*m|--message)$/.test(before) && /^[\w(]/.test(text);
  return subcommand === 'commit' && (isSubject || /^--message=[\w(]/.test(text));
}

const comparisons = new Set(['=', '==', '!=', '-eq', '-ne', '-lt', '-le', '-gt', '-ge']);

/** The output of a command is shown, or compared where no part of it could be taken for an operator. */
function judgeOutput(name: string, args: readonly Word[], at: number): Objection | null {
  if (args[at]?.unknown !== 'output' || name === 'echo') return null;
  const isApart = args[at]?.isSplit === true;
  if (name === 'git' && !isApart && isGitText(args, at)) return null;
  const texts = args.map(({ text, unknown }) => (unknown === 'output' ? '' : text));
  const [first = '', second = '', third] = texts;
  const isTest = name === 'test' || (name === '[' && texts.at(-1) === ']');
  const count = name === '[' ? texts.length - 1 : texts.length;
  const isCompared =
    count === 1 ||
    (count === 2 && /^-[nz]$/.test(first)) ||
    (count === 3 && comparisons.has(second) && third !== undefined && !/^[!(]$/.test(first));
  if (
    (name === 'printf' && at > 0 && first !== '' && !first.startsWith('-')) ||
    (isTest && isCompared && !isApart)
  )
    return null;
  return objection(
    'bash-dynamic',
    'The output of a command may only be shown, with echo or printf, or compared in [ ]. Run the command first, then write its result out.',
  );
}

/** The names a wildcard stands for, itself where there are none. */
export function expandWord(
  context: PathContext,
  arg: Word,
  mayStartAnyhow: boolean,
): readonly string[] | Objection {
  const { policy, facts, cwd } = context;
  if (arg.text.length > 1_000)
    return objection('bash-dynamic', 'A wildcard of this length is not looked up. Name the files.');
  const inTree = cwd === policy.worktree ? arg.text : `${cwd.slice(policy.worktree.length + 1)}/${arg.text}`;
  const plain = inTree.replace(/(?:^|\/)\.(?=\/)/g, '').replace(/^\//, '');
  const isAimed = aimedAt(policy.hidden_paths, plain) !== undefined || aimsAtProtected(plain);
  const start = arg.text.slice(0, arg.text.search(/[*?[]/));
  const elsewhere = judgeFolders(context, [`${start}*`]);
  if (elsewhere !== null) return elsewhere;
  const names = expandGlob(arg.text, cwd, facts);
  if (isAimed && !arg.text.startsWith('-') && !isReadable(context, names ?? [])) {
    return objection(
      'path-hidden',
      `${arg.text} can reach what is hidden from agents. Name the files you mean.`,
    );
  }
  if (names === null)
    return objection('bash-dynamic', `${arg.text} stands for too many files. Name a smaller folder.`);
  if (names.length === 0) return [arg.text];
  // A file called --output=x would become an option.
  const isOption = context.makesFiles === true || names.some((one) => one.startsWith('-'));
  if (!mayStartAnyhow && isOption && /^[*?[]/.test(arg.text)) {
    return objection('bash-dynamic', `${arg.text} could turn file names into options. Write ./${arg.text}.`);
  }
  return judgeFolders(context, names) ?? names;
}

/** Whether a wildcard stands for names that may all be read, and for the same ones when the command runs. */
function isReadable(context: PathContext, names: readonly string[]): boolean {
  return (
    names.length > 0 &&
    context.makesFiles !== true &&
    names.every((name) => judgePath(context, name, 'read') === null)
  );
}

/** Wildcards show what a folder holds, whatever program gets the names: each must be one that may be read. */
function judgeFolders(context: PathContext, names: readonly string[]): Objection | null {
  const folders = new Set(names.map((name) => name.slice(0, name.replace(/\/+$/, '').lastIndexOf('/') + 1)));
  for (const folder of folders) {
    const found = folder === '' ? null : judgePath(context, folder, 'read');
    if (found !== null) return found;
  }
  return null;
}
