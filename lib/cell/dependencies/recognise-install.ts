/** A command that installs exactly what a lock file names, so that it need be done only once for each. */
export interface Install {
  /** What its outcome depends on: names of files, wherever they are in the repository. */
  readonly from: readonly string[];
  /** Prints the versions of the tools that do it. */
  readonly versions: string;
  /** What it makes: a folder of the worktree, or one that a variable names. */
  readonly makes: { readonly folder: string } | { readonly variable: string };
}

// Options that change what is installed are part of the command, and so of what its outcome is known by.
const plainOptions = '(?: --?[a-z][a-z-]*(?:=[\\w.,-]+)?)*';
const python = '(?:python3? -m )?pip3?';

const installs: readonly { readonly pattern: RegExp; readonly install: Install }[] = [
  {
    pattern: new RegExp(`^npm (?:ci|clean-install)${plainOptions}$`),
    install: {
      from: ['package.json', 'package-lock.json', 'npm-shrinkwrap.json', '.npmrc'],
      versions: 'npm --version; node --version',
      makes: { folder: 'node_modules' },
    },
  },
  {
    pattern: new RegExp(`^cargo fetch${plainOptions}$`),
    install: {
      from: ['Cargo.toml', 'Cargo.lock', 'config.toml', 'rust-toolchain', 'rust-toolchain.toml'],
      versions: 'cargo --version',
      makes: { variable: 'CARGO_HOME' },
    },
  },
  {
    pattern: /^go mod download(?: -x)?$/,
    install: {
      from: ['go.mod', 'go.sum', 'go.work', 'go.work.sum'],
      versions: 'go version',
      makes: { variable: 'GOMODCACHE' },
    },
  },
  {
    pattern: new RegExp(`^${python} install${plainOptions} (?:-r|--requirement) ?[\\w./-]+\\.txt$`),
    install: {
      from: ['*.txt', 'pip.conf'],
      versions: 'python3 --version; python3 -m pip --version',
      makes: { variable: 'PYTHONUSERBASE' },
    },
  },
];

// They lead elsewhere, or mean what is in the worktree now.
const elsewhere =
  / (?:--?(?:prefix|global|location|workspaces?|include-workspace-root|manifest-path|target|t|root|user|editable|e|g|w|C))(?:[ =]|$)/;

/** What a setup command installs; null where it isn't known to do just that. Arguments alone are looked at, no file. */
export function recogniseInstall(command: string): Install | null {
  const line = command.trim().replace(/\s+/g, ' ');
  if (elsewhere.test(line)) return null;
  return installs.find(({ pattern }) => pattern.test(line))?.install ?? null;
}
