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

/**
 * What to propose for a project; null: nothing in it is known. Only names that are known here come out of the files:
 * nothing of their text gets into a command.
 */
export function proposeCommands({ contents, locks }: ProjectFiles): Proposal | null {
  const found = projectFiles.flatMap((name) => {
    const text = contents.get(name);
    const part = text === undefined ? null : readers[name](text, locks);
    return part === null || part.allowed.length === 0 ? [] : [{ name, ...part }];
  });
  if (found.length === 0) return null;
  const tests = found.filter(({ name }) => name !== 'Makefile').flatMap((part) => part.tests);
  return {
    sources: found.map(({ name }) => name),
    allowed: [...new Set(found.flatMap(({ allowed }) => allowed))],
    install: knownInstalls.find(({ file }) => locks.has(file)) ?? null,
    // A Makefile beside others mostly calls what they name.
    tests: [...new Set(tests.length > 0 ? tests : found.flatMap((part) => part.tests))],
  };
}

type Part = Pick<Proposal, 'allowed' | 'tests'>;
type Reader = (text: string, locks: ReadonlySet<string>) => Part;

const steps = ['test', 'build', 'check', 'typecheck', 'lint', 'format'];

const readers: Readonly<Record<(typeof projectFiles)[number], Reader>> = {
  'package.json': (text, locks) => {
    const { scripts } = parseRecord(text);
    const named = typeof scripts === 'object' && scripts !== null ? Object.entries(scripts) : [];
    const run = runnerOf(locks);
    const known = named.filter(([name, script]) => steps.includes(name) && !isPlaceholder(script));
    const commands = steps
      .filter((step) => known.some(([name]) => name === step))
      .map((step) => (step === 'test' && run !== 'bun' ? `${run} test` : `${run} run ${step}`));
    return { allowed: commands, tests: known.some(([name]) => name === 'test') ? commands.slice(0, 1) : [] };
  },
  'Cargo.toml': () => ({
    allowed: ['cargo test', 'cargo build', 'cargo check', 'cargo clippy', 'cargo fmt'],
    tests: ['cargo test'],
  }),
  'pyproject.toml': (text, locks) => {
    const run = locks.has('uv.lock') ? 'uv run ' : locks.has('poetry.lock') ? 'poetry run ' : '';
    const tools = ['pytest', 'ruff', 'mypy'].filter((tool) => new RegExp(`\\b${tool}\\b`).test(text));
    const allowed = tools.map(
      (tool) => `${run}${tool === 'pytest' && run === '' ? 'python -m ' : ''}${tool}`,
    );
    return { allowed, tests: tools.includes('pytest') ? allowed.slice(0, 1) : [] };
  },
  'go.mod': () => ({ allowed: ['go test', 'go build', 'go vet', 'gofmt'], tests: ['go test ./...'] }),
  Makefile: (text) => {
    const targets = steps.filter((step) => new RegExp(`^${step}\\s*:(?!=)`, 'm').test(text));
    const allowed = targets.map((target) => `make ${target}`);
    return { allowed, tests: targets.includes('test') ? ['make test'] : [] };
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
