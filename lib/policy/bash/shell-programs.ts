import type { PathContext } from '../judge-path.ts';
import { type Objection, objection } from '../rules.ts';
import { insideOnly, judgeAll, type ProgramCall, type ProgramRule, plainProgram } from './program.ts';
import type { SimpleCommand } from './syntax.ts';
import { isFreeName } from './variables.ts';
import { judgeXargs } from './xargs.ts';

/** What the shell itself offers, and small programs around it. */
export const shellPrograms: Readonly<Record<string, ProgramRule>> = {
  true: () => null,
  false: () => null,
  ':': () => null,
  break: plainProgram('-', 'text'),
  continue: plainProgram('-', 'text'),
  // Where it leads is judged along the chain it is in.
  cd: () => null,
  echo: () => null,
  pwd: plainProgram('-LP', 'none'),
  printf: judgePrintf,
  test: judgeTest,
  '[': judgeTest,
  which: plainProgram('-a --all', 'text'),
  type: plainProgram('-afptP', 'text'),
  sleep: plainProgram('-', 'text'),
  seq: plainProgram('-w -f: -s: -#', 'text'),
  date: plainProgram('-uIR -d: --date= --utc --iso-8601[=] --rfc-3339= --rfc-email', 'text'),
  arch: plainProgram('-', 'none'),
  uname: plainProgram('-asnrvmpio --all', 'none'),
  whoami: plainProgram('-', 'none'),
  id: plainProgram('-gGnru', 'text'),
  exit: plainProgram('-', 'text'),
  set: judgeSet,
  // Its values are judged like those before a command.
  export: (call) =>
    call.args.length === 0
      ? null
      : wrapper(call, 'Write: export NAME=value, or NAME=value before the command.'),
  command: (call) =>
    /^-[vV]+$/.test(call.args[0] ?? '') ? null : wrapper(call, 'command -v NAME asks where a program is.'),
  timeout: (call) => {
    const [limit = '', ...inner] = afterTimeoutOptions(call.args);
    if (!/^\d+(?:\.\d+)?[smhd]?$/.test(limit) || inner.length === 0) {
      return objection('bash-option', 'Write it like: timeout 60 COMMAND.');
    }
    return call.judgeInner(inner);
  },
  time: (call) => call.judgeInner(call.args[0] === '-p' ? call.args.slice(1) : call.args),
  nice: (call) => call.judgeInner(withoutLeading(call.args, /^-n$/, /^(?:-\d+|-n-?\d+|--adjustment=-?\d+)$/)),
  ionice: (call) => call.judgeInner(withoutLeading(call.args, /^-[cn]$/, /^-[cn]\d$|^-t$/)),
  stdbuf: (call) =>
    call.judgeInner(withoutLeading(call.args, /^-[ioe]$/, /^-[ioe][L0]$|^--(?:input|output|error)=[L0]$/)),
  yes: plainProgram('-', 'text'),
  expr: judgeExpr,
  nproc: plainProgram('--all --ignore=', 'none'),
  hostname: plainProgram('-sfid', 'none'),
  groups: plainProgram('-', 'none'),
  df: plainProgram('-hkTPiam -B: -t: --human-readable --output[=] --total', 'read'),
  free: plainProgram('-bkmghtws -s: -c: --human --mega --giga', 'none'),
  ps: plainProgram(
    '-aAefFlLMuxwjHTrN -o: -p: -C: -u: -U: --sort= --no-headers --pid= --ppid= --forest',
    'text',
  ),
  uptime: plainProgram('-ps --pretty --since', 'none'),
  printenv: plainProgram('-0', 'text'),
  pushd: () => null,
  popd: () => null,
  source: judgeSource,
  '.': judgeSource,
  unset: (call) =>
    call.args.every((arg) => isFreeName(arg) || call.context.policy.allowed_env.includes(arg))
      ? null
      : wrapper(call, 'Only variables a command may set can be taken away.'),
  getconf: plainProgram('-a', 'text'),
  locale: plainProgram('-a -m', 'text'),
  tput: plainProgram('-', 'text'),
  clear: plainProgram('-', 'none'),
  mktemp: plainProgram('-dqut -p:> --directory --quiet --dry-run --suffix= --tmpdir[=]', 'text'),
  env: judgeEnv,
  xargs: judgeXargs,
  ln: (call) => wrapper(call, 'A link can make one path stand for another. Copy the file instead.'),
  ...Object.fromEntries(
    [
      'eval',
      'exec',
      'builtin',
      'trap',
      'alias',
      'unalias',
      'declare',
      'typeset',
      'local',
      'readonly',
      'let',
      'read',
      'mapfile',
      'readarray',
      'enable',
      'hash',
      'shopt',
      'bind',
      'complete',
      'compgen',
      'coproc',
      'fc',
      'history',
      'umask',
      'ulimit',
      'getopts',
      'wait',
      'jobs',
      'bg',
      'fg',
      'disown',
      'suspend',
      'logout',
      'dirs',
      'caller',
      'shift',
      'return',
    ].map((name): [string, ProgramRule] => [name, (call) => wrapper(call, 'Run the command itself.')]),
  ),
};

/** Whether the policy would never let a program run whatever the lead allows. */
function wrapper(call: ProgramCall, instead: string): Objection {
  return objection('bash-wrapper', `${call.name} runs or changes what the policy can't see. ${instead}`);
}

function afterTimeoutOptions(args: readonly string[]): readonly string[] {
  const [first = '', ...rest] = args;
  if (/^-[ks]$/.test(first)) return afterTimeoutOptions(rest.slice(1));
  return first.startsWith('-') ? afterTimeoutOptions(rest) : args;
}

/** The words of a command after the options of what starts it. */
function withoutLeading(args: readonly string[], valued: RegExp, flag: RegExp): readonly string[] {
  const [first = '', ...rest] = args;
  if (valued.test(first)) return withoutLeading(rest.slice(1), valued, flag);
  return flag.test(first) ? withoutLeading(rest, valued, flag) : args;
}

/** The environment of python, where python may run anything: what it puts into the search path is the project's own. */
function judgeSource(call: ProgramCall): Objection | null {
  const [path = '', ...others] = call.args;
  const { policy, cwd } = call.context;
  const isPython = policy.allowed_commands.some((entry) => /^python3?$/.test(entry.trim()));
  const isActivating = /^(?:\.\/)?\.?venv\/bin\/activate$/.test(path) && others.length === 0;
  return isPython && isActivating && cwd === policy.worktree
    ? null
    : wrapper(call, 'Run the command itself.');
}

/** It only computes; what looks like an option it prints. */
function judgeExpr({ args }: ProgramCall): Objection | null {
  return args.length > 0 ? null : objection('bash-option', 'expr needs something to compute.');
}

/** Pagers are programs, and what a search path holds is run. */
export function judgeValue(
  context: PathContext,
  { name, value }: SimpleCommand['environment'][number],
): Objection | null {
  if (/PAGER$/.test(name) && !/^(?:cat|less(?: -[A-Za-z]+)?)?$/.test(value))
    return objection('bash-environment', `${name} names a program. It may be cat or empty.`);
  if (name !== 'PYTHONPATH') return null;
  const folders = value.split(':').filter((one) => one !== '');
  return judgeAll(
    insideOnly(context),
    folders.map((path) => ({ path, access: 'read' })),
  );
}

/** `env NAME=value COMMAND`, with the variables that may be set anyway. */
function judgeEnv(call: ProgramCall): Objection | null {
  const first = call.args.findIndex((arg) => !/^[A-Za-z_]\w*=/.test(arg));
  const names = (first < 0 ? call.args : call.args.slice(0, first)).map((arg) => arg.split('=')[0] ?? '');
  const unknown = names.find((name) => !call.context.policy.allowed_env.includes(name));
  if (unknown !== undefined) return objection('bash-environment', `${unknown} may not be set.`);
  const given = names.map((name, at) => ({ name, value: call.args[at]?.slice(name.length + 1) ?? '' }));
  const valued = given.map((one) => judgeValue(call.context, one)).find((one) => one !== null);
  if (valued !== undefined || first < 0) return valued ?? null;
  return names.length === 0 || call.args[first]?.startsWith('-') === true
    ? wrapper(call, 'Write NAME=value before the command itself.')
    : call.judgeInner(call.args.slice(first));
}

/** What ends a script at its first failure. Anything else changes how later words are read. */
function judgeSet(call: ProgramCall): Objection | null {
  return /^(?:[-+](?:[eu]+|[eu]*o (?:pipefail|errexit|nounset))(?: |$))+$/.test(call.args.join(' '))
    ? null
    : wrapper(call, 'Allowed is: set -euo pipefail.');
}

/** `-v` sets a variable, `%n` too: PATH or IFS, and every later word means something else. */
function judgePrintf({ args }: ProgramCall): Objection | null {
  const isOption = args[0]?.startsWith('-') === true && args[0] !== '--';
  const format = (args[0] === '--' ? args[1] : args[0]) ?? '';
  const counts = /%[-+ #0'I,]*(?:\d+|\*)?(?:\.(?:\d+|\*)?)?[hlLjtz]*n/.test(format.replaceAll('%%', ''));
  return isOption || counts
    ? objection('bash-option', 'printf -v and %n set a variable of the shell. Print plainly.')
    : null;
}

/** `-v` and `-R` run what is in a variable's index; everything else only compares. */
function judgeTest(call: ProgramCall): Objection | null {
  const args = call.name === '[' ? call.args.slice(0, -1) : call.args;
  if (call.name === '[' && call.args.at(-1) !== ']')
    return objection('bash-syntax', '`[` needs a closing `]`.');
  if (args.some((arg) => arg === '-v' || arg === '-R')) {
    return objection(
      'bash-option',
      'test -v and -R can run what is in the index of a variable. Compare texts or ask for files.',
    );
  }
  const files = args
    .filter(
      (_, at) =>
        /^-[abcdefghkprstuwxGLNOS]$|^-(?:nt|ot|ef)$/.test(args[at - 1] ?? '') ||
        /^-(?:nt|ot|ef)$/.test(args[at + 1] ?? ''),
    )
    .filter((arg) => !arg.startsWith('-'))
    .map((path) => ({ path: path === '' ? '.' : path, access: 'read' as const }));
  return judgeAll(call.context, files);
}
