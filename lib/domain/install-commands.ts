import { parseJsonRecord } from '../util/json.ts';

/** How a project's dependencies get into a worktree, by a file at the top of its repository. */
export interface InstallCommand {
  readonly file: string;
  /** For `project.setup`. */
  readonly command: string;
  /** For `sandbox.egress`: the public registry it asks. */
  readonly preset: 'npm' | 'pypi' | 'crates' | 'go';
}

/**
 * The files that pin dependencies, the one that decides first. Without scripts an install depends on these alone, so
 * that it can be made once for all worktrees, and for work that agents changed.
 */
const pinned: readonly InstallCommand[] = [
  { file: 'pnpm-lock.yaml', command: 'pnpm install --frozen-lockfile --ignore-scripts', preset: 'npm' },
  { file: 'yarn.lock', command: 'yarn install --frozen-lockfile --ignore-scripts', preset: 'npm' },
  { file: 'bun.lock', command: 'bun install --frozen-lockfile --ignore-scripts', preset: 'npm' },
  { file: 'bun.lockb', command: 'bun install --frozen-lockfile --ignore-scripts', preset: 'npm' },
  { file: 'package-lock.json', command: 'npm ci', preset: 'npm' },
  { file: 'npm-shrinkwrap.json', command: 'npm ci', preset: 'npm' },
  { file: 'uv.lock', command: 'uv sync --frozen', preset: 'pypi' },
  { file: 'poetry.lock', command: 'poetry install --no-interaction', preset: 'pypi' },
  { file: 'requirements.txt', command: 'pip install -r requirements.txt', preset: 'pypi' },
  { file: 'Cargo.lock', command: 'cargo fetch', preset: 'crates' },
  { file: 'go.sum', command: 'go mod download', preset: 'go' },
];

/** Files that name dependencies which nothing pins. */
const unpinned: readonly InstallCommand[] = [
  { file: 'package.json', command: 'npm install --no-package-lock', preset: 'npm' },
  { file: 'Cargo.toml', command: 'cargo fetch', preset: 'crates' },
];

/**
 * The commands that install the dependencies named by files at the top of a repository, one for each registry.
 * `dependsOn` reports whether a file names any dependency; it is asked only of files that pin nothing.
 */
export function findInstallCommands(
  names: ReadonlySet<string>,
  dependsOn: (file: string) => boolean,
): readonly InstallCommand[] {
  const found = [
    ...pinned.filter(({ file }) => names.has(file)),
    ...unpinned.filter(({ file }) => names.has(file) && dependsOn(file)),
  ].map((install) =>
    // Since its second version yarn keeps its settings there, and has another name for the option.
    install.file === 'yarn.lock' && names.has('.yarnrc.yml')
      ? { ...install, command: 'yarn install --immutable' }
      : install,
  );
  return found.filter(({ preset }, at) => found.findIndex((other) => other.preset === preset) === at);
}

/** Whether a manifest names dependencies. */
export function namesDependencies(file: string, text: string): boolean {
  if (file === 'Cargo.toml') return /^\[(?:.+\.)?(?:dev-|build-)?dependencies\b/m.test(text);
  const { dependencies, devDependencies, optionalDependencies } = parseJsonRecord(text);
  return [dependencies, devDependencies, optionalDependencies].some(
    (part) => typeof part === 'object' && part !== null && Object.keys(part).length > 0,
  );
}

/** The public registry that a command asks, by the first program of it that is known; null: none is. */
export function findRegistryOfCommand(command: string): InstallCommand['preset'] | null {
  const [, tool] = /\b(npm|npx|pnpm|yarn|bun|pip3?|uv|poetry|cargo|go)\b/.exec(command) ?? [];
  if (tool === undefined) return null;
  if (tool === 'cargo') return 'crates';
  if (tool === 'go') return 'go';
  return /^(?:pip|uv|poetry)/.test(tool) ? 'pypi' : 'npm';
}
