import { type KnownInstall, knownInstalls } from '../../domain/known-installs.ts';
import { parseRecord } from '../../util/json-record.ts';

/** What a project's own files say of how it is tested and built. */
export interface Proposal {
  /** The files it was read from. */
  readonly sources: readonly string[];
  /** For `permissions.bash_rules.allowed_commands`, beside the built-in ones. */
  readonly allowed: readonly string[];
  /** For `validation.validator_diagnostics.commands`: its tests. */
  readonly tests: readonly string[];
  /** What would bring its dependencies into a worktree; null: nothing that is known. */
  readonly install: KnownInstall | null;
  /** What these files name and this machine lacks the program for. */
  readonly missing: readonly MissingProgram[];
}

export interface MissingProgram {
  readonly program: string;
  readonly commands: readonly string[];
}

/** Limits that work with builds and tests fits in: wider than those built in. */
export interface Room {
  readonly agent_timeout: string;
  readonly token_budget: { readonly validator_usd: number };
}

// An agent that builds and runs tests takes longer than one that only edits, and who judges it reads more.
export const roomForBuilds: Room = { agent_timeout: '20m', token_budget: { validator_usd: 0.5 } };

/** The files at the top of a repository that are looked at. */
export const projectFiles = ['package.json', 'Cargo.toml', 'pyproject.toml', 'go.mod', 'Makefile'] as const;
/** Files of which only is asked whether they are there. */
export const lockFiles = [
  'pnpm-lock.yaml',
  'yarn.lock',
  'bun.lock',
  'bun.lockb',
  'uv.lock',
  'poetry.lock',
  ...knownInstalls.map(({ file }) => file),
];

export interface ProjectFiles {
  /** The content of each project file that is there. */
  readonly contents: ReadonlyMap<string, string>;
  /** The lock files that are there. */
  readonly locks: ReadonlySet<string>;
}

interface Project extends ProjectFiles {
  /** Whether a shell here would find the program. */
  readonly has: (program: string) => boolean;
}

/**
 * What to propose for a project; null: nothing in it is known. Only names that are known here come out of the files:
 * nothing of their text gets into a command.
 */
export function proposeCommands(project: Project): Proposal | null {
  const { contents, locks, has } = project;
  const found = projectFiles.flatMap((name) => {
    const text = contents.get(name);
    const part = text === undefined ? null : readers[name](text, project);
    return part === null || part.allowed.length === 0 ? [] : [{ name, ...part }];
  });
  if (found.length === 0) return null;
  const tests = found.filter(({ name }) => name !== 'Makefile').flatMap((part) => part.tests);
  const install = knownInstalls.find(({ file }) => locks.has(file)) ?? unpinned(project);
  const named = found.flatMap(({ allowed }) => allowed);
  return {
    sources: found.map(({ name }) => name),
    allowed: usable(named, has),
    // A Makefile beside others mostly calls what they name, also where that is missing.
    tests: usable(tests.length > 0 ? tests : found.flatMap((part) => part.tests), has),
    install: install === undefined || lackOf(install.command, has) !== null ? null : install,
    missing: missingOf([...named.map(([first]) => first), ...(install ? [install.command] : [])], has),
  };
}

/** For a package whose dependencies no lock file pins: what brings them must not leave one that nobody asked for. */
function unpinned({ contents, locks }: ProjectFiles): KnownInstall | undefined {
  const { dependencies, devDependencies } = parseRecord(contents.get('package.json') ?? '{}');
  const names = [dependencies, devDependencies].flatMap((part) =>
    typeof part === 'object' && part !== null ? Object.keys(part) : [],
  );
  if (names.length === 0 || locks.size > 0) return undefined;
  return { file: 'package.json', command: 'npm install --no-package-lock', preset: 'npm' };
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
  const also =
    first === 'cargo' && separate.has(second) ? `cargo-${second}` : second === '-m' ? third : first;
  return [first, also].find((program) => !has(program)) ?? null;
}

/** What cargo starts as a program of its own, which not every installation has. */
const separate: ReadonlySet<string> = new Set(['clippy', 'fmt']);

const steps = ['test', 'build', 'check', 'typecheck', 'lint', 'format'];

interface Part {
  readonly allowed: readonly Ways[];
  readonly tests: readonly Ways[];
}
type Reader = (text: string, project: Project) => Part;

const readers: Readonly<Record<(typeof projectFiles)[number], Reader>> = {
  'package.json': (text, { locks }) => {
    const { scripts } = parseRecord(text);
    const named = typeof scripts === 'object' && scripts !== null ? Object.entries(scripts) : [];
    const run = runnerOf(locks);
    const known = named.filter(([name, script]) => steps.includes(name) && !isPlaceholder(script));
    const commands = steps
      .filter((step) => known.some(([name]) => name === step))
      .map((step): Ways => [step === 'test' && run !== 'bun' ? `${run} test` : `${run} run ${step}`]);
    return { allowed: commands, tests: known.some(([name]) => name === 'test') ? commands.slice(0, 1) : [] };
  },
  'Cargo.toml': () => ({
    allowed: [['cargo test'], ['cargo build'], ['cargo check'], ['cargo clippy'], ['cargo fmt']],
    tests: [['cargo test']],
  }),
  'pyproject.toml': (text, { locks, has }) => {
    const runner = locks.has('uv.lock') ? 'uv run' : locks.has('poetry.lock') ? 'poetry run' : null;
    const python = has('python') || !has('python3') ? 'python' : 'python3';
    const tools = ['pytest', 'ruff', 'mypy'].filter((tool) => new RegExp(`\\b${tool}\\b`).test(text));
    const allowed = tools.map((tool): Ways => {
      const alone = tool === 'pytest' ? `${python} -m pytest` : tool;
      return runner === null ? [alone] : [`${runner} ${tool}`, alone];
    });
    return { allowed, tests: tools.includes('pytest') ? allowed.slice(0, 1) : [] };
  },
  'go.mod': () => ({
    allowed: [['go test'], ['go build'], ['go vet'], ['gofmt']],
    tests: [['go test ./...']],
  }),
  Makefile: (text) => {
    const targets = steps.filter((step) => new RegExp(`^${step}\\s*:(?!=)`, 'm').test(text));
    const allowed = targets.map((target): Ways => [`make ${target}`]);
    return { allowed, tests: targets.includes('test') ? [['make test']] : [] };
  },
};

/** What npm init writes where there are no tests: it always fails. */
function isPlaceholder(script: unknown): boolean {
  return typeof script !== 'string' || /no test specified/.test(script);
}

function runnerOf(locks: ReadonlySet<string>): 'npm' | 'pnpm' | 'yarn' | 'bun' {
  if (locks.has('pnpm-lock.yaml')) return 'pnpm';
  if (locks.has('yarn.lock')) return 'yarn';
  return locks.has('bun.lock') || locks.has('bun.lockb') ? 'bun' : 'npm';
}
