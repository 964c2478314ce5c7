import { agentSettings } from '../agent-settings.ts';
import { type Access, judgeName, judgePath, type PathContext } from '../judge-path.ts';
import { type Objection, objection, type RuleName } from '../rules.ts';
import { aimsAt } from './expand-glob.ts';
import { type OptionSpec, type ScannedOptions, scanOptions } from './options.ts';

/** One program with its arguments, as bash would start it. */
export interface ProgramCall {
  readonly name: string;
  readonly args: readonly string[];
  /** How many leading arguments the lead wrote into the allowed command itself: they need no judging. */
  readonly trusted: number;
  /** Text of a here-document on standard input. */
  readonly input: string | null;
  readonly context: PathContext;
  /** The lead listed the program by its name alone, without any argument. */
  readonly isBare: boolean;
  /** Judges a command that this program would run. */
  readonly judgeInner: (words: readonly string[]) => Objection | null;
  /** Judges what runs under another name, by that program's rule alone: it is allowed already. */
  readonly judgeAs: (name: string, args: readonly string[]) => Objection | null;
}

export type ProgramRule = (call: ProgramCall) => Objection | null;

/** What the operands of a program are. `pattern-first`: the first is text unless -e or -f gave it. */
type Operands = Access | 'text' | 'none' | 'pattern-first';

/** A program whose listed options are harmless and whose operands are all of one kind. */
export function plainProgram(spec: OptionSpec, operands: Operands): ProgramRule {
  return (call) => {
    const scanned = scanOptions(spec, call.args.slice(call.trusted));
    return (
      judgeScanned(call, scanned) ??
      judgeOperands(call, operandPaths(scanned, operands), operands) ??
      (operands === 'read' ? judgeAll(call.context, lateValues(call, scanned)) : null)
    );
  };
}

/** Behind the first file BSD programs take everything for a file, the values of options, too. */
function lateValues(
  { args, trusted }: ProgramCall,
  { operands }: ScannedOptions,
): readonly { readonly path: string; readonly access: 'read' }[] {
  const first = operands[0] === undefined ? -1 : args.indexOf(operands[0], trusted);
  const late = first < 0 ? [] : args.slice(first + 1).filter((arg) => !operands.includes(arg));
  return late.filter((arg) => /^[\w.][\w./-]*$/.test(arg)).map((path) => ({ path, access: 'read' }));
}

/** Unknown options, the files options name, and the wildcards they give. */
export function judgeScanned(
  call: ProgramCall,
  scanned: ScannedOptions,
  rule: RuleName = 'bash-option',
): Objection | null {
  if (scanned.unknown !== null) {
    return objection(
      rule,
      `${call.name} ${scanned.unknown} is not among the options known to be safe. Leave it out, or write a common option in full.`,
    );
  }
  const pattern = scanned.patterns.map((one) => judgePattern(call.context, one)).find((one) => one !== null);
  return pattern ?? judgeAll(call.context, scanned.files);
}

export function judgeAll(
  context: PathContext,
  files: readonly { readonly path: string; readonly access: Access }[],
): Objection | null {
  for (const file of files) {
    if (file.path === '/dev/null' && file.access === 'read') continue;
    const found = judgePath(context, file.path, file.access);
    if (found !== null) return found;
  }
  return null;
}

/** A wildcard over names, such as a search's --include: it may not aim at what is hidden. */
export function judgePattern(context: PathContext, pattern: string): Objection | null {
  const bare = pattern.replace(/^!/, '');
  const name = bare.split('/').at(-1) ?? '';
  const readings = bare.includes('**') || !bare.includes('/') ? [bare, name] : [bare];
  const hidden = readings
    .map((one) => aimedAt(context.policy.hidden_paths, one))
    .find((one) => one !== undefined);
  if (hidden === undefined && !readings.some(aimsAtProtected)) return null;
  return objection(
    'path-hidden',
    `${pattern} aims at what is hidden from agents (${hidden ?? 'git and agent settings'}). Search elsewhere.`,
  );
}

/** The glob of them that a wildcard aims at, if any. */
export function aimedAt(globs: readonly string[], pattern: string): string | undefined {
  return globs.find((glob) => aimsAt(pattern, glob));
}

export function aimsAtProtected(pattern: string): boolean {
  return hiddenNames.some((name) => aimsAt(pattern, `**/${name}`));
}

// What else is protected has a plain name, which a wildcard over a kind of file is free to match.
const hiddenNames = ['.git', '.blueflame.yml', ...agentSettings.filter((name) => name.startsWith('.'))];

/** Without the cell's own folders: a program must take its code and its settings from the worktree. */
export function insideOnly(context: PathContext): PathContext {
  return { ...context, policy: { ...context.policy, extra_writable: [] } };
}

// By these names an option says where a report goes.
const reports = /^--?[\w-]*(?:out|report|xml|log|temp|tmp|cov|cache)[\w-]*=/i;
// A file of that name is replaced.
const replaced = /^--(?:junit-?xml|(?:report|output|log)-?file(?:\.\w+)?|result-?log)=(.+)$/is;
// It is emptied before it is used.
const emptied = /^--basetemp=/;

/** Whether a relative or absolute argument is plainly a path that is out of bounds; for programs without a rule. */
export function judgeLoose(given: PathContext, argument: string): Objection | null {
  const context = reports.test(argument) ? given : insideOnly(given);
  if (emptied.test(argument)) return judgePath(given, argument.slice('--basetemp='.length), 'write');
  const file = replaced.exec(argument)?.[1];
  if (file !== undefined && given.facts.lstat(`${given.cwd}/${file}`) !== null)
    return judgePath(given, file, 'write');
  const report = /^--cov-report=\w+:(.+)$/s.exec(argument)?.[1];
  if (report !== undefined) return judgePath(given, report, 'write');
  const option = /^(?:--?[^=]*=|-[A-Za-z](?=[/~.]|\w+=))(.*)$/s.exec(argument)?.[1];
  const assigned = /^[A-Za-z_]\w*=(.*)$/s.exec(argument)?.[1];
  const nested = option === undefined ? undefined : /^[A-Za-z_]\w*=(.*)$/s.exec(option)?.[1];
  const candidates = [argument, option, assigned, nested].filter((one) => one !== undefined && one !== '');
  for (const candidate of candidates) {
    if (candidate === undefined || candidate.startsWith('-') || /\n/.test(candidate)) continue;
    const isPathLike = /^[/~]|(?:^|\/)\.\.(?:\/|$)|^[^\s]*\/|^\.[^\s]*$/.test(candidate);
    const looksElsewhere = /^[/~]|(?:^|\/)\.\.(?:\/|$)/.test(candidate);
    if (looksElsewhere) {
      const found = judgePath(context, candidate, 'read');
      if (found !== null) return found;
    } else if (isPathLike) {
      const found = judgeName(context.policy, candidate.replace(/^(?:\.\/)+/, ''), 'read');
      if (found !== null) return found;
    } else if (candidate !== argument && /^[\w.-]+$/.test(candidate)) {
      const isThere = context.facts.lstat(`${context.cwd}/${candidate}`) !== null;
      const found = isThere ? judgePath(context, candidate, 'read') : null;
      if (found !== null) return found;
    }
  }
  return null;
}

/** The arguments of a program without a rule: plain paths may not be out of bounds, what its options do is unknown. */
export function judgeUnlisted(context: PathContext, name: string, args: readonly string[]): Objection | null {
  const found = args.map(
    (arg, at) => judgeLoose(context, arg) ?? judgeNamed(context, name, [arg, args[at - 1] ?? '']),
  );
  return found.find((one) => one !== null) ?? null;
}

function operandPaths(scanned: ScannedOptions, operands: Operands): readonly string[] {
  if (operands !== 'pattern-first') return scanned.operands;
  const hasPattern = ['e', 'f', 'regexp', 'file', 'files', 'type-list'].some((name) =>
    scanned.given.has(name),
  );
  return hasPattern ? scanned.operands : scanned.operands.slice(1);
}

function judgeOperands(call: ProgramCall, paths: readonly string[], operands: Operands): Objection | null {
  if (operands === 'text') return null;
  if (operands === 'none') {
    return paths.length === 0
      ? null
      : objection('bash-option', `${call.name} takes no arguments here. Leave them out.`);
  }
  const access = operands === 'pattern-first' ? 'read' : operands;
  const files = paths.filter((path) => path !== '-').map((path) => ({ path, access }));
  return judgeAll(call.context, files);
}

// Their operands are files, also where they look like plain words.
const fileTakers = new Set(
  'pytest black ruff mypy isort flake8 pylint pyright bandit autopep8 yapf eslint prettier stylelint biome jest vitest gofmt rustfmt shellcheck yamllint markdownlint less more bat tar zip unzip gzip gunzip patch rsync install strings hexdump shuf tsort split'.split(
    ' ',
  ),
);

function judgeNamed(
  context: PathContext,
  name: string,
  words: readonly [arg: string, before: string],
): Objection | null {
  const [arg, before] = words;
  // `pytest -k infra` asks for a name.
  if (!fileTakers.has(name) || !/^[\w.-]+$/.test(arg) || /^-/.test(arg) || /^-[A-Za-z]$/.test(before))
    return null;
  return context.facts.lstat(`${context.cwd}/${arg}`) === null ? null : judgePath(context, arg, 'read');
}
