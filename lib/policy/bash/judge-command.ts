import type { AgentPolicy } from '../../domain/policy.ts';
import { judgePath, type PathContext } from '../judge-path.ts';
import { listSome, type Objection, objection } from '../rules.ts';
import { buildPrograms, normalizePackageManager } from './build-programs.ts';
import { expandGlob } from './expand-glob.ts';
import { isNamedOnly, judgeGit, withoutGlobalOptions } from './git.ts';
import { aimedAt, aimsAtProtected, judgeLoose, type ProgramRule } from './program.ts';
import { readPrograms } from './read-programs.ts';
import { shellPrograms } from './shell-programs.ts';
import type { Redirection, SimpleCommand, Word } from './syntax.ts';
import { writePrograms } from './write-programs.ts';

const programs: ReadonlyMap<string, ProgramRule> = new Map(
  Object.entries({ ...buildPrograms, ...readPrograms, ...writePrograms, ...shellPrograms, git: judgeGit }),
);
// They only steer what is judged anyway.
const alwaysAllowed = new Set(['true', 'false', ':', 'cd', 'break', 'continue', 'exit', 'set', 'export']);
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
// A name like -v makes them run what stands in an index.
const neverOptions = new Set(['test', '[', 'printf']);

/** Judges one simple command run in one folder; null: nothing against it. */
export function judgeCommand(context: PathContext, command: SimpleCommand): Objection | null {
  const variable = command.environment.find(({ name }) => !context.policy.allowed_env.includes(name));
  if (variable !== undefined) {
    return objection(
      'bash-environment',
      `${variable.name} may not be set. A command may set for itself: ${listSome(context.policy.allowed_env)}.`,
    );
  }
  const redirected = judgeRedirections(context, command.redirections);
  if (redirected !== null) return redirected;
  const [head, ...rest] = command.words;
  if (head === undefined) {
    return command.environment.length === 0
      ? null
      : objection(
          'bash-environment',
          'A variable set for later commands is refused. Write it before the command that needs it.',
        );
  }
  if (!head.isPlain || !/^(?:[A-Za-z0-9_][\w.+-]*|\[|:|\.)$/.test(head.text))
    return notAllowed(context.policy, head.text);
  if (head.text === 'export' && command.environment.length === 0)
    return notAllowed(context.policy, 'export without a value');
  const args = expandArguments(context, head.text, rest);
  return 'rule' in args ? args : judgeWords(context, [head.text, ...args.words], command.input);
}

/** Where output may go and input may come from. */
export function judgeRedirections(
  context: PathContext,
  redirections: readonly Redirection[],
): Objection | null {
  for (const { access, target } of redirections) {
    const isStream = access === 'write' ? /^\/dev\/(?:null|stdout|stderr)$/ : /^\/dev\/null$/;
    const found = isStream.test(target) ? null : judgePath(context, target, access);
    if (found !== null) return found;
  }
  return null;
}

function judgeWords(context: PathContext, words: readonly string[], input: string | null): Objection | null {
  const { policy } = context;
  const [name = '', ...written] = words;
  const args = normalizeArguments(name, written);
  const pattern = matchingPattern(policy, words.join(' '));
  if (pattern !== undefined) {
    return objection(
      'bash-pattern',
      `${name} … matches the blocked pattern ${pattern}. Do it in another way, or leave it to a person.`,
    );
  }
  const trusted = trustedWords(policy, [name, ...args]);
  if (trusted === null) return notAllowed(policy, words.slice(0, 2).join(' '));
  const rule = programs.get(name);
  const call = {
    name,
    args,
    trusted,
    input,
    context,
    judgeInner: (inner: readonly string[]) => judgeWords(context, inner, null),
  };
  if (rule !== undefined) return rule(call);
  const loose = args.slice(trusted).map((arg) => judgeLoose(context, arg));
  return loose.find((one) => one !== null) ?? null;
}

/** The blocked pattern a text matches, if any. */
export function matchingPattern(policy: AgentPolicy, text: string): string | undefined {
  return policy.blocked_patterns.find((pattern) => new RegExp(pattern, 'u').test(text));
}

/** How many words after the program name the best matching entry holds; null: no entry matches. */
function trustedWords(policy: AgentPolicy, words: readonly string[]): number | null {
  const [name = '', subcommand = ''] = words;
  if (alwaysAllowed.has(name) && policy.allowed_commands.length > 0) return 0;
  const lengths = policy.allowed_commands
    .map(entryWords)
    .filter((entry) => entry.length > 0 && entry.every((word, at) => word === words[at]))
    .map((entry) => entry.length);
  const longest = Math.max(0, ...lengths);
  if (longest === 0 || (longest === 1 && name === 'git' && isNamedOnly(subcommand))) return null;
  return longest - 1;
}

/** An entry may end in a remark in parentheses: `git branch (listing only)`. */
function entryWords(entry: string): readonly string[] {
  return entry
    .replace(/\s+\([^)]*\)\s*$/, '')
    .split(/\s+/)
    .filter((word) => word !== '');
}

function normalizeArguments(name: string, args: readonly string[]): readonly string[] {
  if (name === 'git') return withoutGlobalOptions(args);
  return name === 'npm' || name === 'pnpm' || name === 'yarn' ? normalizePackageManager(args) : args;
}

function expandArguments(
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

/** What a word may hold that nobody knows yet. */
function judgeUnknown(name: string, { unknown }: Word): Objection | null {
  // A file called -v would make test and printf run what stands in an index.
  if (unknown === 'name' && name !== 'echo')
    return objection(
      'bash-dynamic',
      'A file name of a loop stands alone and in double quotes, as "$f"; within other text only echo may show it.',
    );
  if (unknown !== 'status' || statusFriendly.has(name)) return null;
  return objection(
    'bash-dynamic',
    `$? can only be shown or compared. Use it with ${listSome([...statusFriendly])}.`,
  );
}

const comparisons = new Set(['=', '==', '!=', '-eq', '-ne', '-lt', '-le', '-gt', '-ge']);

/** The output of a command is shown, or compared where no part of it could be taken for an operator. */
function judgeOutput(name: string, args: readonly Word[], at: number): Objection | null {
  if (args[at]?.unknown !== 'output' || name === 'echo') return null;
  const texts = args.map(({ text, unknown }) => (unknown === 'output' ? '' : text));
  const [first = '', second = '', third] = texts;
  const isTest = name === 'test' || (name === '[' && texts.at(-1) === ']');
  const count = name === '[' ? texts.length - 1 : texts.length;
  const isCompared =
    (count === 2 && /^-[nz]$/.test(first)) ||
    (count === 3 && comparisons.has(second) && third !== undefined && !/^[!(]$/.test(first));
  if ((name === 'printf' && at > 0 && first !== '' && !first.startsWith('-')) || (isTest && isCompared))
    return null;
  return objection(
    'bash-dynamic',
    'The output of a command may only be shown, with echo or printf, or compared in [ ]. Run the command first, then write its result out.',
  );
}

function expandWord(context: PathContext, arg: Word, mayStartAnyhow: boolean): readonly string[] | Objection {
  const { policy, facts, cwd } = context;
  const inTree = cwd === policy.worktree ? arg.text : `${cwd.slice(policy.worktree.length + 1)}/${arg.text}`;
  const plain = inTree.replace(/(?:^|\/)\.(?=\/)/g, '').replace(/^\//, '');
  const blocked = aimedAt(policy.blocked_paths, plain);
  if (!arg.text.startsWith('-') && (blocked !== undefined || aimsAtProtected(plain))) {
    return objection(
      'path-blocked',
      `${arg.text} can reach what is blocked for agents. Name the files you mean.`,
    );
  }
  const start = arg.text.slice(0, arg.text.search(/[*?[]/));
  const elsewhere = judgeFolders(context, [start]);
  if (elsewhere !== null) return elsewhere;
  const names = expandGlob(arg.text, cwd, facts);
  if (names === null)
    return objection('bash-dynamic', `${arg.text} stands for too many files. Name a smaller folder.`);
  if (names.length === 0) return [arg.text];
  // A file called --output=x would become an option.
  if (!mayStartAnyhow && /^[*?[]/.test(arg.text)) {
    return objection('bash-dynamic', `${arg.text} could turn file names into options. Write ./${arg.text}.`);
  }
  return judgeFolders(context, names) ?? names;
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

function notAllowed(policy: AgentPolicy, command: string): Objection {
  const list = listSome(policy.allowed_commands, 30);
  return objection('bash-not-allowed', `${command} is not an allowed command. Allowed are: ${list}.`);
}
