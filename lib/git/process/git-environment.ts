import { programPath } from '../../util/programs.ts';

/** Of a GitContext, what its variables come from. */
interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly variables?: Readonly<Record<string, string>>;
}

// `git rev-parse --local-env-vars`: hooks and `git --git-dir` export these, and a child would then work
// on the wrong repository.
const localVariables = new Set([
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_CONFIG',
  'GIT_CONFIG_PARAMETERS',
  'GIT_CONFIG_COUNT',
  'GIT_OBJECT_DIRECTORY',
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_IMPLICIT_WORK_TREE',
  'GIT_GRAFT_FILE',
  'GIT_INDEX_FILE',
  'GIT_NO_REPLACE_OBJECTS',
  'GIT_REPLACE_REF_BASE',
  'GIT_PREFIX',
  'GIT_SHALLOW_FILE',
  'GIT_COMMON_DIR',
]);

/** Nothing the repository or an agent set up may run when the tool itself calls git. */
export const safeConfig = [
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'core.fsmonitor=false',
  '-c',
  'gc.auto=0',
  '-c',
  'maintenance.auto=false',
  '-c',
  'color.ui=false',
  '-c',
  'core.quotePath=false',
];

/** The environment of a git, with what binds it to its place. */
export function environmentOf(
  { env, variables }: Surroundings,
  extra: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return { ...gitEnvironment(env), ...variables, ...extra };
}

/** The git that PATH leads to. */
export function gitIn(env: Readonly<Record<string, string>>): string {
  return programPath('git', env.PATH);
}

/** The environment for git children: optional locks off, messages in English, no prompts. */
export function gitEnvironment(env: Surroundings['env']): Record<string, string> {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !localVariables.has(entry[0]) && !/^GIT_CONFIG_(?:KEY|VALUE)_/.test(entry[0]),
  );
  return {
    ...Object.fromEntries(kept),
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '0',
    LC_ALL: 'C.UTF-8',
  };
}
