import { judgePath, type PathContext } from '../judge-path.ts';
import { resolvePath } from '../resolve-path.ts';
import { listSome, type Objection, objection } from '../rules.ts';
import { entryWords, isBare, matchingPattern, notAllowed, trustedWords } from './allowed-words.ts';
import { normalizePackageManager } from './build-programs.ts';
import { equivalents, isInstalledPath } from './equivalents.ts';
import { expandArguments } from './expand-arguments.ts';
import { withoutGlobalOptions } from './git.ts';
import { asksVersion, ruleOf } from './known-programs.ts';
import { judgeUnlisted, type ProgramCall } from './program.ts';
import { readPrograms } from './read-programs.ts';
import { refusedPrograms } from './refused-programs.ts';
import { judgeValue, shellPrograms } from './shell-programs.ts';
import type { Redirection, SimpleCommand } from './syntax.ts';
import { writePrograms } from './write-programs.ts';

/** Judges one simple command run in one folder; null: nothing against it. */
export function judgeCommand(context: PathContext, command: SimpleCommand): Objection | null {
  const variable = command.environment.find(({ name }) => !context.policy.allowed_env.includes(name));
  if (variable !== undefined) {
    return objection(
      'bash-environment',
      `${variable.name} may not be set. A command may set for itself: ${listSome(context.policy.allowed_env)}.`,
    );
  }
  const valued = command.environment.map((one) => judgeValue(context, one)).find((one) => one !== null);
  if (valued !== undefined) return valued;
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
  return 'rule' in args
    ? args
    : judgeWords(context, [head.text, ...args.words], command.input ?? context.piped ?? null);
}

function isProgramName(text: string): boolean {
  return /^(?:[A-Za-z0-9_][\w.+-]*|\[|:|\.)$/.test(text);
}

/** `./gradlew`, as a lead may have written it; from another folder the same words would be another file. */
function isNamedPath({ policy, cwd }: PathContext, text: string): boolean {
  if (!/^[\w./-]+$/.test(text) || !(cwd === policy.worktree || text.startsWith('/'))) return false;
  return isInstalledPath(text) || policy.allowed_commands.some((entry) => entryWords(entry)[0] === text);
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
  const elsewhere = name === 'git' && written[0] === '-C' ? folderAt(context, written[1] ?? '') : null;
  if (elsewhere !== null)
    return judgeWords({ ...context, cwd: elsewhere }, ['git', ...written.slice(2)], input);
  const args = normalizeArguments(name, written);
  const pattern = matchingPattern(policy, words.join(' '));
  if (pattern !== undefined) {
    return objection(
      'bash-pattern',
      `${name} … matches the blocked pattern ${pattern}. Do it in another way, or leave it to a person.`,
    );
  }
  if (asksVersion(name, args)) return null;
  const trusted = trustedWords(
    policy,
    isRestoring(context, name, args) ? ['git', 'restore'] : [name, ...args],
  );
  if (!isProgramName(name) && !isNamedPath(context, name)) return notAllowed(policy, name);
  if (trusted === null) return judgeEquivalent(context, words, input);
  const begun = runners.get(name)?.(args) ?? 0;
  // npm and its like have a rule of their own, unless the lead wrote `npm exec` itself.
  const isRunner =
    trusted === begun - 1 ||
    (trusted < begun && ruleOf(name) === undefined) ||
    // An entry like `npx prettier`: its own rule says where it may write.
    (trusted === begun && /^(?:npx|bunx|pnpx)$/.test(name) && ruleOf(args[begun - 1] ?? '') !== undefined);
  if (begun > 0 && isRunner) return judgeRun(context, name, args.slice(begun - 1));
  return judgeProgram(context, { name, args, trusted, input, isBare: isBare(policy, name) });
}

/** A folder of the worktree that a path names without links; null: anything else. */
function folderAt({ policy, facts, cwd }: PathContext, path: string): string | null {
  const found = resolvePath({ path, cwd, worktree: policy.worktree, extra: [], facts });
  if ('rule' in found || found.lexical !== found.resolved || found.entry?.kind !== 'directory') return null;
  const folder = found.resolved === '' ? policy.worktree : `${policy.worktree}/${found.resolved}`;
  return judgePath({ policy, facts, cwd }, folder, 'read') === null ? folder : null;
}

/** `git checkout -- FILE` is an older `git restore FILE`, and `git reset HEAD FILE` an older `git restore --staged FILE`. */
function isRestoring({ facts, cwd }: PathContext, name: string, args: readonly string[]): boolean {
  const [subcommand, ...words] = args;
  if (name !== 'git' || !/^(?:checkout|reset)$/.test(subcommand ?? '')) return false;
  const others = subcommand === 'reset' ? words.filter((word, at) => !(at === 0 && word === 'HEAD')) : words;
  if (others.length === 0) return false;
  const end = others.indexOf('--');
  if (end >= 0)
    return end < 2 && end < others.length - 1 && !others.slice(0, end).some((one) => one.startsWith('-'));
  return others.every((one) => /^\w/.test(one) && facts.lstat(`${cwd}/${one}`) !== null);
}

/** Another way to start what the lead named: `python -m pytest` and `npx pytest` are pytest. */
function judgeEquivalent(
  context: PathContext,
  words: readonly string[],
  input: string | null,
): Objection | null {
  const [name = '', ...args] = words;
  // What has a rule under its own name is allowed by that name alone, whatever program starts it.
  const known = ownNames.has(name)
    ? undefined
    : equivalents(name, args).find((one) => trustedWords(context.policy, one) !== null);
  const isFetched = known?.[0] === 'npx' && known[1] === name && !isInstalled(context, name);
  return known === undefined || isFetched
    ? notAllowed(context.policy, words.slice(0, 2).join(' '))
    : judgeWords(context, known, input);
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
// What the policy judges by its own name, whatever program starts it.
const ownNames = new Set([
  'git',
  ...[refusedPrograms, readPrograms, writePrograms, shellPrograms].flatMap(Object.keys),
]);

/** What a runner runs, where the lead named the runner alone; what could be run without it is judged as if it were. */
function judgeRun(context: PathContext, runner: string, words: readonly string[]): Objection | null {
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
  if (ownNames.has(name)) return judgeWords(context, words, null);
  if (/^(?:npx|bunx|pnpx|npm)$/.test(runner) && !isInstalled(context, name))
    return objection(
      'bash-wrapper',
      `${name} is not among what the project has installed; nothing is fetched here. Run what is in node_modules/.bin.`,
    );
  return judgeProgram(context, { name, args, trusted: 0, input: null, isBare: false });
}

const testers = new Set(
  'tsc jest vitest mocha ava tap c8 nyc playwright cypress tsx ts-node python python3 pytest node'.split(' '),
);

/** A runner would fetch anything else. */
function isInstalled({ policy, facts }: PathContext, name: string): boolean {
  return (
    testers.has(name) ||
    ruleOf(name) !== undefined ||
    facts.lstat(`${policy.worktree}/node_modules/.bin/${name}`) !== null
  );
}

function judgeProgram(
  context: PathContext,
  named: Pick<ProgramCall, 'name' | 'args' | 'trusted' | 'input' | 'isBare'>,
): Objection | null {
  const { name, args, trusted } = named;
  const rule = ruleOf(name);
  const call: ProgramCall = {
    ...named,
    context,
    judgeInner: (inner) => judgeWords(context, inner, null),
    judgeAs: (other, words) =>
      judgeProgram(context, { name: other, args: words, trusted: 0, input: null, isBare: false }),
  };
  if (rule !== undefined) return rule(call);
  return judgeUnlisted(context, name, args.slice(trusted));
}

function normalizeArguments(name: string, args: readonly string[]): readonly string[] {
  if (name === 'git') return withoutGlobalOptions(args);
  if (name === 'npx' || name === 'bunx')
    return args.slice(
      Math.max(
        0,
        args.findIndex((arg) => !npxFlag.test(arg)),
      ),
    );
  return name === 'npm' || name === 'pnpm' || name === 'yarn' ? normalizePackageManager(args) : args;
}

// None of them lets it fetch: there is no network to fetch from.
const npxFlag = /^(?:-y|--yes|--no|--no-install|-q|--quiet|--prefer-offline|--offline)$/;
