import { type Objection, objection } from '../rules.ts';
import { scanOptions } from './options.ts';
import { judgeAll, judgeScanned, type ProgramCall, type ProgramRule, plainProgram } from './program.ts';

/** What the shell itself offers, and small programs around it. */
export const shellPrograms: Readonly<Record<string, ProgramRule>> = {
  true: () => null,
  false: () => null,
  ':': () => null,
  break: plainProgram('-', 'text'),
  continue: plainProgram('-', 'text'),
  // Where it leads is judged along the chain it stands in.
  cd: () => null,
  echo: () => null,
  pwd: plainProgram('-LP', 'none'),
  printf: ({ args }) =>
    args[0]?.startsWith('-') === true && args[0] !== '--'
      ? objection(
          'bash-option',
          'printf -v sets a variable, which can run what stands in its index. Print plainly.',
        )
      : null,
  test: judgeTest,
  '[': judgeTest,
  which: plainProgram('-a --all', 'text'),
  type: plainProgram('-afptP', 'text'),
  sleep: plainProgram('-', 'text'),
  seq: plainProgram('-w -f: -s: -#', 'text'),
  date: plainProgram('-uIR -d: --date= --utc --iso-8601[=] --rfc-3339= --rfc-email', 'text'),
  uname: plainProgram('-asnrvmpio --all', 'none'),
  whoami: plainProgram('-', 'none'),
  id: plainProgram('-gGnru', 'text'),
  exit: plainProgram('-', 'text'),
  command: (call) =>
    /^-[vV]+$/.test(call.args[0] ?? '') ? null : wrapper(call, 'command -v NAME asks where a program is.'),
  timeout: (call) => {
    const [limit = '', ...inner] = afterTimeoutOptions(call.args);
    if (!/^\d+(?:\.\d+)?[smhd]?$/.test(limit) || inner.length === 0) {
      return objection('bash-option', 'Write it like: timeout 60 COMMAND.');
    }
    return call.judgeInner(inner);
  },
  time: (call) => call.judgeInner(call.args),
  env: (call) =>
    call.args.length === 0 ? null : wrapper(call, 'Write NAME=value before the command itself.'),
  ln: (call) => wrapper(call, 'A link can make one path stand for another. Copy the file instead.'),
  ...Object.fromEntries(
    [
      'eval',
      'exec',
      'source',
      '.',
      'builtin',
      'sudo',
      'su',
      'doas',
      'xargs',
      'parallel',
      'nohup',
      'setsid',
      'nice',
      'ionice',
      'stdbuf',
      'watch',
      'strace',
      'ltrace',
      'script',
      'chroot',
      'unshare',
      'nsenter',
      'bwrap',
      'busybox',
      'toybox',
      'flock',
      'entr',
      'expect',
      'ssh',
      'trap',
      'alias',
      'unalias',
      'export',
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
      'set',
      'shopt',
      'unset',
      'pushd',
      'popd',
      'bind',
      'complete',
      'compgen',
      'coproc',
      'fc',
      'history',
      'umask',
      'ulimit',
      'getopts',
    ].map((name): [string, ProgramRule] => [name, (call) => wrapper(call, 'Run the command itself.')]),
  ),
};

/** Whether the policy would never let a program run whatever the lead allows. */
export function wrapper(call: ProgramCall, instead: string): Objection {
  return objection('bash-wrapper', `${call.name} runs or changes what the policy can't see. ${instead}`);
}

function afterTimeoutOptions(args: readonly string[]): readonly string[] {
  const [first = '', ...rest] = args;
  if (/^-[ks]$/.test(first)) return afterTimeoutOptions(rest.slice(1));
  return first.startsWith('-') ? afterTimeoutOptions(rest) : args;
}

/** `-v` and `-R` run what stands in a variable's index; everything else only compares. */
function judgeTest(call: ProgramCall): Objection | null {
  const args = call.name === '[' ? call.args.slice(0, -1) : call.args;
  if (call.name === '[' && call.args.at(-1) !== ']')
    return objection('bash-syntax', '`[` needs a closing `]`.');
  if (args.some((arg) => arg === '-v' || arg === '-R')) {
    return objection(
      'bash-option',
      'test -v and -R can run what stands in the index of a variable. Compare texts or ask for files.',
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

/** Programs that change files: every file they name must be writable. */
export const writePrograms: Readonly<Record<string, ProgramRule>> = {
  mkdir: plainProgram('-pv -m: --parents --verbose --mode=', 'folder'),
  rmdir: plainProgram('-pv --parents --verbose --ignore-fail-on-non-empty', 'folder'),
  touch: plainProgram('-acm -d: -t: -r:< --date= --no-create --reference=<', 'write'),
  rm: plainProgram('-rRfidvI --recursive --force --verbose --dir --one-file-system', 'write'),
  truncate: plainProgram('-co -s: -r:< --size= --no-create --reference=<', 'write'),
  tee: plainProgram('-ai --append --ignore-interrupts', 'write'),
  mv: (call) => judgeTransfer(call, '-finuv --force --no-clobber --update[=] --verbose', 'write'),
  cp: (call) =>
    judgeTransfer(
      call,
      '-aRrfinpuvPHdx --archive --recursive --force --no-clobber --preserve[=] --update[=] --verbose --no-dereference',
      'read',
    ),
  chmod: (call) => {
    const scanned = scanOptions(
      '-Rvcf --recursive --verbose --changes --silent --quiet',
      chmodArguments(call),
    );
    const files = scanned.operands.slice(1).map((path) => ({ path, access: 'write' as const }));
    return judgeScanned(call, scanned) ?? judgeAll(call.context, files);
  },
};

/** `chmod -x file`: a mode may look like an option. */
function chmodArguments(call: ProgramCall): readonly string[] {
  return call.args.slice(call.trusted).map((arg) => (/^-[rwxXst]+$/.test(arg) ? `a${arg}` : arg));
}

function judgeTransfer(call: ProgramCall, spec: string, source: 'read' | 'write'): Objection | null {
  const scanned = scanOptions(spec, call.args.slice(call.trusted));
  const target = scanned.operands.at(-1) ?? '.';
  const sources = scanned.operands.slice(0, -1);
  const { facts, cwd } = call.context;
  const isFolder = facts.lstat(target.startsWith('/') ? target : `${cwd}/${target}`)?.kind !== 'file';
  const ends =
    target.endsWith('/') ||
    (isFolder && facts.list(target.startsWith('/') ? target : `${cwd}/${target}`) !== null)
      ? sources.map(
          (path) =>
            `${target}/${
              path
                .split('/')
                .filter((part) => part !== '')
                .at(-1) ?? ''
            }`,
        )
      : [target];
  return (
    judgeScanned(call, scanned) ??
    judgeAll(call.context, [
      ...sources.map((path) => ({ path, access: source })),
      ...ends.map((path) => ({ path, access: 'write' as const })),
    ])
  );
}
