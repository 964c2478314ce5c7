import { findProgramFamily } from './allowed-words.ts';
import { dropGitGlobalOptions } from './judge-git.ts';
import { hasKnownSubcommands } from './judge-side-effect-programs.ts';
import { interpreters } from './wrapper-programs.ts';

/** `npm -s test`, `npm t` and `npm run-script x` are written in one way before they are compared. */
export function normalizeCommand(name: string, args: readonly string[]): readonly string[] {
  if (name === 'git') return dropGitGlobalOptions(args);
  // None of them lets it fetch: there is no network to fetch from.
  if (name === 'npx' || name === 'bunx')
    return withoutFirst(args, /^(?:-y|--yes|--no|--no-install|-q|--quiet|--prefer-offline|--offline)$/);
  if (!/^(?:npm|pnpm|yarn)$/.test(name)) return args;
  const isQuiet = (arg: string, at: number): boolean =>
    /^(?:-s|--silent|-r|--recursive|--filter|-F)$/.test(arg) ||
    (/^(?:--filter|-F)$/.test(args[at - 1] ?? '') && /^[\w@*][\w@./*-]*$/.test(arg));
  const first = args.findIndex((arg, at) => !isQuiet(arg, at));
  const [subcommand = '', ...rest] = first < 0 ? [] : args.slice(first);
  const names: Readonly<Record<string, string>> = { t: 'test', tst: 'test', 'run-script': 'run', rum: 'run' };
  return subcommand === '' ? args : [names[subcommand] ?? subcommand, ...rest];
}

function withoutFirst(args: readonly string[], flag: RegExp): readonly string[] {
  const first = args.findIndex((arg) => !flag.test(arg));
  return first < 0 ? [] : args.slice(first);
}

/** Whether it is the plain name of a program, found by PATH. */
export function isProgramName(text: string): boolean {
  return /^(?:[A-Za-z0-9_][\w.+-]*|\[|:|\.)$/.test(text);
}

/** Whether nothing but the version of a program is asked for. */
export function isVersionQuery(name: string, arg: string): boolean {
  if (arg === '--version') return isProgramName(name);
  return /^(?:node|npm|npx|pnpm|yarn|tsc)$/.test(name)
    ? arg === '-v'
    : (arg === '-V' && /^(?:python3?|pip3?|cargo|rustc)$/.test(name)) ||
        (name === 'go' && arg === 'version') ||
        (/^javac?$/.test(name) && arg === '-version');
}

const testers = new Set(
  'tsc jest vitest mocha ava tap c8 nyc playwright cypress tsx ts-node python python3 pytest node eslint prettier biome stylelint mypy ruff black'.split(
    ' ',
  ),
);

/** Whether it is a test tool, an interpreter, a shell, or a tool whose subcommands are known here. */
export function isKnownProgram(name: string): boolean {
  const family = findProgramFamily(name);
  return testers.has(name) || hasKnownSubcommands(family) || interpreters.has(family) || family === 'sh';
}

const modules = /^(?:pytest|unittest|mypy|ruff|black|flake8|isort|pylint|coverage)$/;
// Where a project's own tools are.
const installed = /^(?:\.\/)?(?:node_modules\/\.bin|\.?venv\/bin)\/([\w.-]+)$/;
const pythons = ['python', 'python3'];

export function isProjectProgramPath(text: string): boolean {
  return installed.test(text);
}

/** Other spellings of a command that start the same program: an entry for one of them is an entry for all. */
export function listEquivalentCommands(name: string, args: readonly string[]): readonly (readonly string[])[] {
  const [first = '', second = '', ...rest] = args;
  if (pythons.includes(name)) {
    const others = pythons.filter((one) => one !== name).map((one) => [one, ...args]);
    return first === '-m' && /^[\w.]+$/.test(second) ? [...others, ...moduleForms(second, rest)] : others;
  }
  if (name === 'npx' || name === 'bunx') return toolForms(first, args.slice(1));
  if (/^(?:npm|pnpm|yarn|uv|poetry|pipenv|pdm|rye|hatch)$/.test(name) && /^(?:exec|run|dlx)$/.test(first))
    return runForms(name, [first, second, ...rest]);
  const bin = installed.exec(name)?.[1];
  if (bin !== undefined) return [...toolForms(bin, args), ...listEquivalentCommands(bin, args)];
  return /^[\w.-]+$/.test(name)
    ? [...(modules.test(name) ? moduleForms(name, args) : []), ...toolForms(name, args)]
    : [];
}

function moduleForms(module: string, args: readonly string[]): readonly (readonly string[])[] {
  return [[module, ...args], ...pythons.map((name) => [name, '-m', module, ...args])];
}

function toolForms(tool: string, args: readonly string[]): readonly (readonly string[])[] {
  return /^[\w@/.-]+$/.test(tool)
    ? [
        [tool, ...args],
        ['npx', tool, ...args],
      ]
    : [];
}

/** `npm run test` is `npm test`; `npm exec tsc` and `uv run pytest` are tsc and pytest. */
function runForms(name: string, [verb = '', tool = '', ...args]: readonly string[]): readonly (readonly string[])[] {
  if (/^(?:npm|pnpm|yarn)$/.test(name) && verb === 'run') return [[name, tool, ...args]].filter(() => tool === 'test');
  const own = args[0] === '--' ? args.slice(1) : args;
  if (verb === 'dlx') return [];
  return [
    ...toolForms(tool, own),
    ...(tool.startsWith('python') && own[0] === '-m' ? moduleForms(own[1] ?? '', own.slice(2)) : []),
  ];
}
