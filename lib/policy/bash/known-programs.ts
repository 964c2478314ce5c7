import { buildPrograms } from './build-programs.ts';
import { formatterPrograms } from './formatters.ts';
import { judgeGit } from './git.ts';
import type { ProgramRule } from './program.ts';
import { programFamily } from './program-names.ts';
import { readPrograms } from './read-programs.ts';
import { refusedPrograms } from './refused-programs.ts';
import { shellPrograms } from './shell-programs.ts';
import { toolPrograms } from './tool-programs.ts';
import { writePrograms } from './write-programs.ts';

const programs: ReadonlyMap<string, ProgramRule> = new Map(
  Object.entries({
    ...toolPrograms,
    ...formatterPrograms,
    ...buildPrograms,
    ...refusedPrograms,
    ...readPrograms,
    ...writePrograms,
    ...shellPrograms,
    git: judgeGit,
  }),
);

// Asked for their version they do nothing else.
const versions: readonly (readonly [names: string, asks: RegExp])[] = [
  ['node npm npx pnpm yarn bun deno tsc jest eslint prettier', /^(?:--version|-v)$/],
  ['python python3 pip pip3 cargo rustc ruff pytest', /^(?:--version|-V)$/],
  [
    'ruby perl php java javac mvn gradle gcc g++ clang make cmake git docker bash sqlite3 vitest',
    /^--version$/,
  ],
  ['java javac', /^-version$/],
  ['go', /^version$/],
];

/** Whether a program is only asked which version it is. */
export function asksVersion(name: string, args: readonly string[]): boolean {
  const [only = ''] = args;
  if (args.length === 1 && only === '--version' && programs.has(name)) return true;
  return (
    args.length === 1 && versions.some(([names, asks]) => names.split(' ').includes(name) && asks.test(only))
  );
}

/** The rule of a program, by whatever name it goes here. */
export function ruleOf(name: string): ProgramRule | undefined {
  return programs.get(name) ?? programs.get(programFamily(name));
}
