/** How a project's dependencies get into a worktree, by the file that pins them at the top of its repository. */
export interface KnownInstall {
  readonly file: string;
  /** For `project.setup`. */
  readonly command: string;
  /** For `sandbox.egress`: the public registry it asks. */
  readonly preset: 'npm' | 'pypi' | 'crates' | 'go';
}

export const knownInstalls: readonly KnownInstall[] = [
  { file: 'package-lock.json', command: 'npm ci', preset: 'npm' },
  { file: 'requirements.txt', command: 'pip install -r requirements.txt', preset: 'pypi' },
  { file: 'Cargo.lock', command: 'cargo fetch', preset: 'crates' },
  { file: 'go.sum', command: 'go mod download', preset: 'go' },
];

/** The public registry that a command asks, by the first program of it that is known; null: none is. */
export function presetOf(command: string): KnownInstall['preset'] | null {
  const [, tool] = /\b(npm|npx|pnpm|yarn|bun|pip3?|uv|poetry|cargo|go)\b/.exec(command) ?? [];
  if (tool === undefined) return null;
  if (tool === 'cargo') return 'crates';
  if (tool === 'go') return 'go';
  return /^(?:pip|uv|poetry)/.test(tool) ? 'pypi' : 'npm';
}
