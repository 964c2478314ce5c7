import type { AgentPolicy } from '../../domain/policy.ts';
import { judgePath, type PathContext } from '../judge-path.ts';
import { listSome, type Objection, objection } from '../rules.ts';
import { buildPrograms, normalizePackageManager } from './build-programs.ts';
import { expandArguments } from './expand-arguments.ts';
import { isNamedOnly, judgeGit, withoutGlobalOptions } from './git.ts';
import { interpreters } from './interpreters.ts';
import { judgeUnlisted, type ProgramCall, type ProgramRule } from './program.ts';
import { readPrograms } from './read-programs.ts';
import { shellPrograms } from './shell-programs.ts';
import type { Redirection, SimpleCommand } from './syntax.ts';
import { writePrograms } from './write-programs.ts';

const programs: ReadonlyMap<string, ProgramRule> = new Map(
  Object.entries({ ...buildPrograms, ...readPrograms, ...writePrograms, ...shellPrograms, git: judgeGit }),
);
// They only steer what is judged anyway.
const alwaysAllowed = new Set(['true', 'false', ':', 'cd', 'break', 'continue', 'exit', 'set', 'export']);
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
  if (!head.isPlain || !(isProgramName(head.text) || isNamedPath(context, head.text)))
    return notAllowed(context.policy, head.text);
  if (head.text === 'export' && command.environment.length === 0)
    return notAllowed(context.policy, 'export without a value');
  const args = expandArguments(context, head.text, rest);
  return 'rule' in args ? args : judgeWords(context, [head.text, ...args.words], command.input);
}

function isProgramName(text: string): boolean {
  return /^(?:[A-Za-z0-9_][\w.+-]*|\[|:|\.)$/.test(text);
}

/** `./gradlew`, as a lead may have written it; from another folder the same words would be another file. */
function isNamedPath({ policy, cwd }: PathContext, text: string): boolean {
  const isNamed = policy.allowed_commands.some((entry) => entryWords(entry)[0] === text);
  return isNamed && /^[\w./-]+$/.test(text) && (cwd === policy.worktree || text.startsWith('/'));
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
  if (!isProgramName(name) && !isNamedPath(context, name)) return notAllowed(policy, name);
  if (trusted === null) return notAllowed(policy, words.slice(0, 2).join(' '));
  const begun = runners.get(name)?.(args) ?? 0;
  // npm and its like have a rule of their own, unless the lead wrote `npm exec` itself.
  const isRunner = trusted === begun - 1 || (trusted < begun && !programs.has(name));
  if (begun > 0 && isRunner) return judgeRun(context, args.slice(begun - 1));
  return judgeProgram(context, { name, args, trusted, input });
}

// How many words of a command only say that the rest is run.
const second =
  (word: string): ((args: readonly string[]) => number) =>
  (args) =>
    args[0] === word ? 2 : 0;
const runners: ReadonlyMap<string, (args: readonly string[]) => number> = new Map([
  ...['uv', 'poetry', 'pipenv', 'pdm', 'rye', 'hatch'].map((name) => [name, second('run')] as const),
  ...['npm', 'pnpm', 'yarn', 'bundle'].map((name) => [name, second('exec')] as const),
  ...['npx', 'bunx', 'pnpx'].map((name) => [name, () => 1] as const),
]);

/** What a runner runs, where the lead named the runner alone; what could be run without it is judged as if it were. */
function judgeRun(context: PathContext, words: readonly string[]): Objection | null {
  const [name = '', ...args] = words;
  if (!isProgramName(name))
    return objection(
      'bash-wrapper',
      `${name || 'Nothing'} is no plain program. Name it first, without options.`,
    );
  const pattern = matchingPattern(context.policy, words.join(' '));
  if (pattern !== undefined)
    return objection(
      'bash-pattern',
      `${name} … matches the blocked pattern ${pattern}. Do it in another way.`,
    );
  return programs.has(name) && !interpreters.includes(name)
    ? judgeWords(context, words, null)
    : judgeProgram(context, { name, args, trusted: 0, input: null });
}

function judgeProgram(
  context: PathContext,
  named: Pick<ProgramCall, 'name' | 'args' | 'trusted' | 'input'>,
): Objection | null {
  const { name, args, trusted, input } = named;
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
  return judgeUnlisted(context, name, args.slice(trusted));
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

function notAllowed(policy: AgentPolicy, command: string): Objection {
  const list = listSome(policy.allowed_commands, 30);
  const why = policy.role === 'merger' ? ' The checks are run for a merger, on what it commits.' : '';
  return objection('bash-not-allowed', `${command} is not an allowed command. Allowed are: ${list}.${why}`);
}
