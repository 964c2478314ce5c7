import { findInstallCommands, type InstallCommand, namesDependencies } from '../../domain/install-commands.ts';
import { parseJsonRecord } from '../../util/json.ts';

/** Commands found in a project's own files, to test and build it. */
export interface ProposedCommands {
  /** The files it was read from. */
  readonly sources: readonly string[];
  /** For `permissions.bash_rules.allowed_commands`, beside the built-in ones. */
  readonly allowed: readonly string[];
  /** For `validation.validator_diagnostics.commands`: its tests. */
  readonly tests: readonly string[];
  /** Its tests without the scripts that npm runs before and after them; null: there are none of these. */
  readonly withoutHooks: string | null;
  /** Installs its dependencies in a worktree; null: no known way. */
  readonly install: InstallCommand | null;
  /** Commands in these files whose program this machine lacks. */
  readonly missing: readonly MissingProgram[];
}

export interface MissingProgram {
  readonly program: string;
  readonly commands: readonly string[];
}

/** Limits that work with builds and tests fits in: wider than those built in. */
export interface BuildLimits {
  readonly agent_timeout: string;
  readonly token_budget: { readonly validator_usd: number };
}

// An agent that builds and runs tests takes longer than one that only edits, and who judges it reads more.
export const buildLimits: BuildLimits = { agent_timeout: '20m', token_budget: { validator_usd: 0.5 } };

/** Files at the top of a repository. */
export interface ProjectFiles {
  /** The names of its files and folders. */
  readonly names: ReadonlySet<string>;
  /** A file's text; '' where there is none, or none of a usual size. */
  readonly textOf: (name: string) => string;
}

interface Project extends ProjectFiles {
  /** Whether a shell here would find the program. */
  readonly has: (program: string) => boolean;
}

/**
 * Proposes commands for a project; null: nothing in it is known. Only names that are known here come out of the files:
 * nothing of their text gets into a command.
 */
export function proposeProjectCommands(files: ProjectFiles & Pick<Project, 'has'>): ProposedCommands | null {
  const { names, textOf } = files;
  // A wrapper that the project brings is a program too.
  const has = (program: string): boolean =>
    program.startsWith('./') ? names.has(program.slice(2)) : files.has(program);
  const project = { ...files, has };
  const found = readers.flatMap(({ file, isFallback, read }) => {
    const name = [...names].toSorted().find((entry) => file.test(entry));
    const part = name === undefined ? null : read(project, textOf(name));
    return name === undefined || part === null || part.allowed.length === 0
      ? []
      : [{ name, isFallback: isFallback === true, ...part }];
  });
  if (found.length === 0) return null;
  const own = found.filter(({ isFallback }) => !isFallback).flatMap((part) => part.tests);
  const [install] = findInstallCommands(names, (file) => namesDependencies(file, textOf(file)));
  const named = found.flatMap(({ allowed }) => allowed);
  return {
    sources: found.map(({ name }) => name),
    allowed: usable(named, has),
    // A Makefile beside others mostly calls what they name, also where that is missing.
    tests: usable(own.length > 0 ? own : found.flatMap((part) => part.tests), has),
    withoutHooks: hasTestHooks(textOf('package.json')) ? 'npm test --ignore-scripts' : null,
    install: install === undefined || lackOf(install.command, has) !== null ? null : install,
    missing: missingOf([...named.map(([first]) => first), ...(install ? [install.command] : [])], has),
  };
}

/** Ways to the same end, the one that the project's files name first. */
type Ways = readonly [string, ...string[]];

/** Of each the first way that this machine has the programs for. */
function usable(named: readonly Ways[], has: Project['has']): readonly string[] {
  return [...new Set(named.flatMap((ways) => ways.find((way) => lackOf(way, has) === null) ?? []))];
}

function missingOf(commands: readonly string[], has: Project['has']): readonly MissingProgram[] {
  const lacking = new Map<string, Set<string>>();
  for (const command of commands) {
    const program = lackOf(command, has);
    if (program !== null) lacking.set(program, (lacking.get(program) ?? new Set()).add(command));
  }
  return [...lacking].map(([program, without]) => ({ program, commands: [...without] }));
}

/** The first program that a command needs and that isn't there; null: all are. */
function lackOf(command: string, has: Project['has']): string | null {
  const [first = '', second = '', third = ''] = command.split(' ');
  // unittest is part of Python; the other modules come with a program of their name.
  const module = second === '-m' && third !== 'unittest' ? third : first;
  const also = first === 'cargo' && separate.has(second) ? `cargo-${second}` : module;
  return [first, also].find((program) => !has(program)) ?? null;
}

/** Subcommands of cargo that are programs of their own, which not every installation has. */
const separate: ReadonlySet<string> = new Set(['clippy', 'fmt']);

const steps = ['test', 'build', 'check', 'typecheck', 'lint', 'format'];

interface Part {
  readonly allowed: readonly Ways[];
  readonly tests: readonly Ways[];
}

interface Reader {
  /** The names of its files, each whole. */
  readonly file: RegExp;
  /** Its tests are proposed only where no other reader proposes any. */
  readonly isFallback?: true;
  readonly read: (project: Project, text: string) => Part;
}

const always = (allowed: readonly string[], test: string): Reader['read'] => {
  const part: Part = { allowed: allowed.map((command): Ways => [command]), tests: [[test]] };
  return () => part;
};

const readers: readonly Reader[] = [
  { file: /^package\.json$/, read: readPackage },
  {
    file: /^Cargo\.toml$/,
    read: always(['cargo test', 'cargo build', 'cargo check', 'cargo clippy', 'cargo fmt'], 'cargo test'),
  },
  { file: /^(?:pyproject\.toml|setup\.(?:py|cfg)|tox\.ini|noxfile\.py)$/, read: readPython },
  { file: /^go\.mod$/, read: always(['go test', 'go build', 'go vet', 'gofmt'], 'go test ./...') },
  { file: /^CMakeLists\.txt$/, read: readCmake },
  { file: /^build\.gradle(?:\.kts)?$/, read: () => sameWays(['./gradlew test', 'gradle test']) },
  { file: /^pom\.xml$/, read: () => sameWays(['./mvnw --batch-mode test', 'mvn --batch-mode test']) },
  { file: /\.(?:slnx?|[cf]sproj)$/, read: always(['dotnet test', 'dotnet build'], 'dotnet test') },
  { file: /^(?:GNUm|M|m)akefile$/, isFallback: true, read: readMakefile },
];

function sameWays(ways: Ways): Part {
  return { allowed: [ways], tests: [ways] };
}

function readPackage({ names }: Project, text: string): Part {
  const { scripts } = parseJsonRecord(text);
  const named = typeof scripts === 'object' && scripts !== null ? Object.entries(scripts) : [];
  const run = runnerOf(names);
  const known = named.filter(([name, script]) => steps.includes(name) && !isPlaceholder(script));
  const commands = steps
    .filter((step) => known.some(([name]) => name === step))
    .map((step): Ways => [step === 'test' && run !== 'bun' ? `${run} test` : `${run} run ${step}`]);
  return { allowed: commands, tests: known.some(([name]) => name === 'test') ? commands.slice(0, 1) : [] };
}

function hasTestHooks(text: string): boolean {
  const { scripts } = parseJsonRecord(text);
  return typeof scripts === 'object' && scripts !== null && ('posttest' in scripts || 'pretest' in scripts);
}

const pythonFiles = ['pyproject.toml', 'setup.py', 'setup.cfg', 'tox.ini', 'noxfile.py'];

function readPython({ names, textOf, has }: Project): Part {
  const text = pythonFiles.map(textOf).join('\n');
  const runner = names.has('uv.lock') ? 'uv run' : names.has('poetry.lock') ? 'poetry run' : null;
  const python = has('python') || !has('python3') ? 'python' : 'python3';
  const by = (alone: string, tool = alone): Ways => (runner === null ? [alone] : [`${runner} ${tool}`, alone]);
  const linters = ['ruff', 'mypy'].filter((tool) => new RegExp(`\\b${tool}\\b`).test(text));
  // tox and nox install what they test with at each run: in a cell, which reaches no registry, they can't.
  const hasPytest = /\bpytest\b/.test(text) || names.has('conftest.py') || names.has('pytest.ini');
  const hasTests = names.has('tests') || names.has('test');
  const tests = hasPytest
    ? [by(`${python} -m pytest`, 'pytest')]
    : hasTests
      ? [by(`${python} -m unittest`, `python -m unittest`)]
      : [];
  return { allowed: [...tests, ...linters.map((tool) => by(tool))], tests };
}

function readCmake(_: Project, text: string): Part {
  const build = 'cmake -S . -B build && cmake --build build';
  const hasTests = /\b(?:enable_testing|add_test)\s*\(|\binclude\s*\(\s*CTest\s*\)/i.test(text);
  const check = hasTests ? `${build} && ctest --test-dir build --output-on-failure` : build;
  return { allowed: [['cmake'], ...(hasTests ? [['ctest'] as const] : [])], tests: [[check]] };
}

function readMakefile(_: Project, text: string): Part {
  const targets = steps.filter((step) => new RegExp(`^${step}\\s*:(?!=)`, 'm').test(text));
  const allowed = targets.map((target): Ways => [`make ${target}`]);
  const test = ['test', 'check'].find((target) => targets.includes(target));
  return { allowed, tests: test === undefined ? [] : [[`make ${test}`]] };
}

/** True for the script that npm init writes where there are no tests: it always fails. */
function isPlaceholder(script: unknown): boolean {
  return typeof script !== 'string' || /no test specified/.test(script);
}

function runnerOf(names: ReadonlySet<string>): 'npm' | 'pnpm' | 'yarn' | 'bun' {
  if (names.has('pnpm-lock.yaml')) return 'pnpm';
  if (names.has('yarn.lock')) return 'yarn';
  return names.has('bun.lock') || names.has('bun.lockb') ? 'bun' : 'npm';
}
