import { judgePath, type PathContext } from '../judge-path.ts';
import { createObjection, type PolicyObjection } from '../policy-rules.ts';
import { resolvePath } from '../resolve-path.ts';
import {
  countAllowedWords,
  explainRefusedProgram,
  findProgramFamily,
  isProgramAllowedAlone,
  judgeBlockedPattern,
  notAllowedObjection,
  splitAllowedEntry,
} from './allowed-words.ts';
import { isBuiltin, isHarmlessVariable, judgeBuiltin } from './builtins.ts';
import {
  isKnownProgram,
  isProgramName,
  isProjectProgramPath,
  isVersionQuery,
  listEquivalentCommands,
  normalizeCommand,
} from './command-names.ts';
import { expandWord } from './expand-word.ts';
import { isFileRestoringCommand } from './git-arguments.ts';
import { isFileChangingProgram, isWriteOnly, judgeFilesToChange } from './judge-changed-files.ts';
import { judgeGit } from './judge-git.ts';
import { judgeMentionedPaths, judgePathsInWord, standardStreamPattern } from './judge-mentioned-paths.ts';
import { judgeSideEffectProgram } from './judge-side-effect-programs.ts';
import { findFirstObjection, type ProgramCall, type ShellCommandContext } from './program-call.ts';
import { type Redirection, type ShellCommand, unknownTextMarks } from './shell-command-types.ts';
import {
  interpreters,
  judgeInstalledProgram,
  judgeInterpreter,
  judgeVariableBeforeCommand,
  wrappers,
} from './wrapper-programs.ts';

// Of the first words each of their texts is judged by itself: they name the program and what it does.
const leading = 3;
const mostReadings = 32;

/** Judges one simple command run in one folder; null: nothing against it. */
export function judgeCommand(context: ShellCommandContext, command: ShellCommand): PolicyObjection | null {
  const [head] = command.words;
  const isRead = head?.values[0] === 'read';
  const variables = findFirstObjection(command.environment, ({ name, value }) =>
    head !== undefined && head.values[0] !== 'local'
      ? name === 'IFS' && isRead
        ? null
        : findFirstObjection(value.values, (text) => judgeVariableBeforeCommand(context, name, text))
      : judgeAssigned(context, name),
  );
  return variables ?? judgeRedirections(context, command.redirections) ?? judgeReadings(context, command);
}

/** A variable of the shell's own, for the commands behind. */
function judgeAssigned({ policy }: ShellCommandContext, name: string): PolicyObjection | null {
  return isHarmlessVariable(name) && !policy.allowed_env.includes(name)
    ? null
    : createObjection(
        'bash-environment',
        `${name} could have a meaning for bash or other programs. Use a short lower-case name, or write NAME=value before the command that needs it.`,
      );
}

/** Where output may go and input may come from. */
export function judgeRedirections(context: PathContext, redirections: readonly Redirection[]): PolicyObjection | null {
  return findFirstObjection(redirections, ({ access, target }) =>
    findFirstObjection(expandWord(context, target), (text) => {
      if (standardStreamPattern.test(text) && (access === 'read' || text !== '/dev/stdin')) return null;
      const path = unknownTextMarks.filled(text);
      const isKnown =
        !unknownTextMarks.isIn(path) &&
        text !== unknownTextMarks.names &&
        !(context.isLost === true && !path.startsWith('/'));
      // Below the cell's own folder it may be any name.
      const isOwn = path.startsWith('/tmp/') && access === 'write' && !path.includes('..');
      return isKnown || isOwn
        ? judgePath(context, isKnown ? path : '/tmp/x', access)
        : createObjection('bash-redirect', 'A redirection needs a plain file name.');
    }),
  );
}

type Input = Pick<ShellCommand, 'input' | 'piped'>;

function judgeReadings(context: ShellCommandContext, { words, input, piped }: ShellCommand): PolicyObjection | null {
  if (words[0]?.isGlob === true) return notAllowedObjection(context.policy, words[0].values.join(' '));
  let readings: readonly (readonly string[])[] = [[]];
  for (const [at, word] of words.entries()) {
    // Bash itself lists the names there, for any program.
    const away = word.isGlob ? word.values.filter((text) => /^(?:[/~]|\.\.)/.test(text)) : [];
    const outside = findFirstObjection(away, (text) => judgePathsInWord(context, text, 'file'));
    if (outside !== null) return outside;
    const texts = expandWord(context, word, !isFileChangingProgram(words[0]?.values[0] ?? ''));
    const isEach = at < leading && !word.isGlob && word.values.length > 1;
    readings = isEach
      ? readings.flatMap((head) =>
          word.values.map((value) => [...head, ...expandWord(context, { ...word, values: [value] })]),
        )
      : readings.map((head) => [...head, ...texts]);
    if (readings.length > mostReadings)
      return createObjection('bash-dynamic', 'The program and its command must be plain text.');
  }
  return findFirstObjection(readings, (reading) => judgeWords(context, reading, { input, piped }));
}

/** `./gradlew`, as a lead may have written it; from another folder the same words would be another file. */
function isNamedPath({ policy, cwd }: PathContext, text: string): boolean {
  if (!/^[\w./-]+$/.test(text) || !(cwd === policy.worktree || text.startsWith('/'))) return false;
  return isProjectProgramPath(text) || policy.allowed_commands.some((entry) => splitAllowedEntry(entry)[0] === text);
}

function judgeWords(context: ShellCommandContext, words: readonly string[], given: Input): PolicyObjection | null {
  const { policy } = context;
  const [name, ...written] = words;
  if (name === undefined) return null;
  if (unknownTextMarks.isIn(name)) return createObjection('bash-dynamic', 'The name of a program must be plain text.');
  const elsewhere = name === 'git' && written[0] === '-C' ? folderAt(context, written[1] ?? '') : null;
  if (elsewhere !== null) return judgeWords({ ...context, cwd: elsewhere }, ['git', ...written.slice(2)], given);
  const args = normalizeCommand(name, written);
  const blocked = judgeBlockedPattern(policy, unknownTextMarks.shown(words.join(' ')), `${name} …`);
  if (blocked !== null) return blocked;
  if (isBuiltin(name) && !isSourcing(context, [name, ...args])) {
    const found = judgeBuiltin({ name, args, allowedEnv: policy.allowed_env });
    if (found !== null) return found;
  }
  if (!isProgramName(name) && !isNamedPath(context, name)) return notAllowedObjection(policy, name);
  if (args.length === 1 && isVersionQuery(name, args[0] ?? '')) return null;
  const family = findProgramFamily(name);
  const refusal = explainRefusedProgram(family);
  if (refusal !== null && !(family === 'pip' && /^(?:list|show|freeze|check)$/.test(args[0] ?? '')))
    return countAllowedWords(policy, [name]) === null
      ? notAllowedObjection(policy, name)
      : createObjection('bash-wrapper', refusal);
  const isShellLine = family === 'sh' && args.some((arg) => /^-[elu]*c$/.test(arg));
  const allowedArgumentCount = isShellLine ? 0 : trustedOf(context, name, args);
  if (allowedArgumentCount === null) return judgeEquivalent(context, words, given);
  const call: ProgramCall = {
    name,
    family,
    args,
    allowedArgumentCount,
    ...given,
    context,
    isListedAlone: isProgramAllowedAlone(policy, name),
    judgeInner: (inner) => judgeWords(context, inner, { input: null, piped: [unknownTextMarks.any] }),
  };
  return judgeRunner(call) ?? judgeProgram(call);
}

function judgeProgram(call: ProgramCall): PolicyObjection | null {
  const { name, args, context, family } = call;
  if (family === 'git') return judgeGit(call);
  const wrapped = wrappers[family];
  const own =
    wrapped !== undefined
      ? wrapped(call)
      : interpreters.has(family)
        ? judgeInterpreter(call)
        : judgeBuiltin({ name, args, allowedEnv: context.policy.allowed_env });
  if (isSourcing(context, [name, ...args])) return null;
  return (
    own ??
    judgeSideEffectProgram(call) ??
    judgeFilesToChange(call) ??
    ((wrapped === undefined || family === 'find') && !isWriteOnly(family) ? judgeMentionedPaths(call) : null)
  );
}

function trustedOf(context: ShellCommandContext, name: string, args: readonly string[]): number | null {
  const words = name === 'git' && isFileRestoringCommand(context, args) ? ['git', 'restore'] : [name, ...args];
  if (isSourcing(context, words)) return 0;
  return countAllowedWords(context.policy, words);
}

/** The environment of python, where python may run anything: what it puts into the search path is the project's own. */
function isSourcing(
  { policy, cwd }: ShellCommandContext,
  [name = '', path = '', ...others]: readonly string[],
): boolean {
  const isPython = policy.allowed_commands.some((entry) => /^python3?$/.test(entry.trim()));
  const isActivating = /^(?:\.\/)?\.?venv\/bin\/activate$/.test(path) && others.length === 0;
  return /^(?:source|\.)$/.test(name) && isPython && isActivating && cwd === policy.worktree;
}

/** A folder of the worktree that a path names without links; null: anything else. */
function folderAt({ policy, facts, cwd }: PathContext, path: string): string | null {
  const found = resolvePath({ path, cwd, worktree: policy.worktree, extra: [], facts });
  if ('rule' in found || found.lexical !== found.resolved || found.entry?.kind !== 'directory') return null;
  const folder = found.resolved === '' ? policy.worktree : `${policy.worktree}/${found.resolved}`;
  return judgePath({ policy, facts, cwd }, folder, 'read') === null ? folder : null;
}

/** Another way to start what the lead named: `python -m pytest` and `npx pytest` are pytest. */
function judgeEquivalent(context: ShellCommandContext, words: readonly string[], given: Input): PolicyObjection | null {
  const [name = '', ...args] = words;
  const known = isOwn(context, name)
    ? undefined
    : listEquivalentCommands(name, args).find((one) => countAllowedWords(context.policy, one) !== null);
  if (known === undefined)
    return notAllowedObjection(context.policy, unknownTextMarks.shown(words.slice(0, 2).join(' ')));
  const isFetched = known[0] === 'npx' && known[1] === name;
  return (
    (isFetched ? judgeInstalledProgram(context, name, isKnownProgram(name)) : null) ?? judgeWords(context, known, given)
  );
}

/** Whether a program is judged by its own name, through any runner. */
function isOwn({ policy }: ShellCommandContext, name: string): boolean {
  const isBase =
    policy.base_commands?.includes(name) === true ||
    /^(?:rm|chmod|unlink|rmdir|truncate|cat|sed|find|tee|cp|mv)$/.test(name);
  return name === 'git' || isBase || isBuiltin(name) || explainRefusedProgram(findProgramFamily(name)) !== null;
}

// How many words of a command only say that the rest is run.
const runners: ReadonlyMap<string, string | null> = new Map([
  ...['uv', 'poetry', 'pipenv', 'pdm', 'rye', 'hatch'].map((name) => [name, 'run'] as const),
  ...['npm', 'pnpm', 'yarn', 'bundle'].map((name) => [name, 'exec'] as const),
  ...['npx', 'bunx', 'pnpx'].map((name) => [name, null] as const),
]);

/** Judges the program of a runner, where the lead named the runner alone; null: no objection, or it runs nothing. */
function judgeRunner(call: ProgramCall): PolicyObjection | null {
  const { name, args, allowedArgumentCount, context } = call;
  const word = runners.get(name);
  if (word === undefined || (word !== null && args[0] !== word)) return null;
  const begun = word === null ? 0 : 1;
  const [tool = '', ...rest] = args.slice(begun).filter((arg, at) => !(at === 0 && arg === '--'));
  // An entry like `npx prettier`.
  if (allowedArgumentCount > begun) return null;
  if (!isProgramName(tool))
    return createObjection(
      'bash-wrapper',
      `${unknownTextMarks.shown(tool) || 'Nothing'} is not a plain program name. Name the program first, without options.`,
    );
  if (isOwn(context, tool)) return call.judgeInner([tool, ...rest]);
  const blocked = judgeBlockedPattern(context.policy, unknownTextMarks.shown([tool, ...rest].join(' ')), `${tool} …`);
  if (blocked !== null) return blocked;
  const fetched = /^(?:npx|bunx|pnpx|npm|pnpm|yarn)$/.test(name)
    ? judgeInstalledProgram(context, tool, isKnownProgram(tool))
    : null;
  const inner = {
    ...call,
    name: tool,
    family: findProgramFamily(tool),
    args: rest,
    allowedArgumentCount: 0,
    isListedAlone: false,
  };
  return fetched ?? judgeProgram(inner);
}
