/** A command that installs exactly what a lock file names, so that it need be done only once for each. */
export interface RecognisedInstall {
  /** The inputs of its outcome: names of files, in small letters, wherever they are in the repository. */
  readonly from: readonly string[];
  /** Instead of these: the requirement files it begins with, by their paths in the worktree. */
  readonly requirements?: readonly string[];
  /** Prints the versions of the tools that do it. */
  readonly versions: string;
  /** A pattern for these versions; absent: any will do. */
  readonly needs?: RegExp;
  /** It runs scripts of packages and of the project. */
  readonly runsScripts: boolean;
  /** It needs no other file of the worktree, not even to be there. */
  readonly isAlone: boolean;
  /** Its product: a folder beside each package, or one that a variable names. */
  readonly makes: { readonly folder: string } | { readonly variable: string };
}

// Options that change what is installed are part of the command, and so of what its outcome is known by.
const plainOptions = '(?: --?[a-z][a-z-]*(?:=[\\w.,-]+)?)*';

type KnownInstall = Omit<RecognisedInstall, 'runsScripts'>;

const installs: readonly { readonly pattern: RegExp; readonly install: KnownInstall }[] = [
  {
    pattern: new RegExp(`^npm (?:ci|clean-install|(?:install|i)(?=.* --no-package-lock(?: |$)))${plainOptions}$`),
    install: {
      from: ['package.json', 'package-lock.json', 'npm-shrinkwrap.json', '.npmrc', 'binding.gyp'],
      versions: 'npm --version; node --version',
      isAlone: true,
      makes: { folder: 'node_modules' },
    },
  },
  // Of the installs of pnpm, only one that runs no script depends on its files alone.
  {
    pattern: new RegExp(`^pnpm (?:install|i)(?=.* --ignore-scripts(?: |$))${plainOptions}$`),
    install: {
      from: ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', '.npmrc', '.pnpmfile.cjs', '.pnpmfile.mjs'],
      versions: 'pnpm --version; node --version',
      isAlone: true,
      makes: { folder: 'node_modules' },
    },
  },
  {
    pattern: new RegExp(`^yarn install(?=.* --frozen-lockfile(?: |$))(?=.* --ignore-scripts(?: |$))${plainOptions}$`),
    install: {
      from: ['package.json', 'yarn.lock', '.npmrc', '.yarnrc', '.yarnrc.yml'],
      versions: 'yarn --version; node --version',
      isAlone: true,
      makes: { folder: 'node_modules' },
    },
  },
  {
    pattern: new RegExp(`^bun install(?=.* --ignore-scripts(?: |$))${plainOptions}$`),
    install: {
      from: ['package.json', 'bun.lock', 'bun.lockb', 'bunfig.toml', '.npmrc'],
      versions: 'bun --version',
      isAlone: true,
      makes: { folder: 'node_modules' },
    },
  },
  {
    pattern: new RegExp(`^cargo fetch${plainOptions}$`),
    install: {
      from: [
        'cargo.toml',
        'cargo.lock',
        '.cargo/config',
        '.cargo/config.toml',
        'rust-toolchain',
        'rust-toolchain.toml',
      ],
      versions: 'cargo --version',
      isAlone: false,
      makes: { variable: 'CARGO_HOME' },
    },
  },
  {
    pattern: /^go mod download(?: -x)?$/,
    install: {
      from: ['go.mod', 'go.sum', 'go.work', 'go.work.sum'],
      versions: 'go version',
      isAlone: true,
      makes: { variable: 'GOMODCACHE' },
    },
  },
];

// They lead elsewhere, name files of their own, or mean what is in the worktree now.
const elsewhere =
  / --?(?:prefix|global|location|workspaces?|include-workspace-root|manifest-path|config|target|t|root|user|(?:user|global)?config|script-shell|shell|node-options|cache|git|e|g|w|C|Z)(?:[ =]|$)/;

// Of pip's options those that name no file, folder or registry.
const pipOptions =
  /^(?:-[qvU]+|--(?:disable-pip-version-check|no-cache-dir|no-input|quiet|verbose|upgrade|require-hashes|no-deps|prefer-binary|pre|no-compile|no-color|no-warn-script-location|(?:only|no)-binary=[\w.,:-]+|(?:retries|timeout)=\d+|progress-bar=\w+))$/;
const pip = /^(python3? -m )?pip3? install /;

/** Recognises a setup command's install; null where it may do more. Looks at arguments alone, at no file. */
export function recogniseInstall(command: string): RecognisedInstall | null {
  const line = command.trim().replace(/\s+/g, ' ');
  if (pip.test(line)) return recognisePip(line);
  if (elsewhere.test(line)) return null;
  const known = installs.find(({ pattern }) => pattern.test(line));
  return known === undefined ? null : { ...known.install, runsScripts: !/ --ignore-scripts(?: |$)/.test(line) };
}

function recognisePip(line: string): RecognisedInstall | null {
  const [, start = '', rest = ''] = /^(.*?) install (.*)$/.exec(line) ?? [];
  const named = / (-r|-c|--requirement|--constraint)[ =]([\w./][\w./-]*\.txt)(?= |$)/g;
  const files = [...` ${rest}`.matchAll(named)];
  const others = ` ${rest}`.replace(named, '').trim();
  const isPlain = others === '' || others.split(' ').every((word) => pipOptions.test(word));
  if (!isPlain || !files.some(([, option]) => option === '-r' || option === '--requirement')) return null;
  const asModule = /^(\S+) -m /.exec(start)?.[1];
  return {
    from: [],
    requirements: files.map(([, , file = '']) => file),
    versions: `${asModule ?? 'python3'} --version; ${start} --version`,
    // Older ones run modules of the worktree in the place of pip's own.
    ...(asModule === undefined ? {} : { needs: /^Python 3\.(?:1[1-9]|[2-9]\d)\b/ }),
    runsScripts: true,
    isAlone: true,
    makes: { variable: 'PYTHONUSERBASE' },
  };
}
