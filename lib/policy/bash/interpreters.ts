import { type Objection, objection } from '../rules.ts';
import { judgeInlineCode } from './inline-code.ts';
import { judgeAll, judgeLoose, judgeUnlisted, type ProgramCall } from './program.ts';
import { programFamily } from './program-names.ts';

export const interpreters: readonly string[] =
  'node python ruby perl php deno bun tsx ts-node sh fish zsh'.split(' ');

// Subcommands of deno and bun that take no code from the command line and fetch nothing.
const subcommands = /^(?:test|run|task|lint|fmt|check|bench|build)$/;
// Options of node that neither run code given elsewhere nor write files.
const nodeFlag =
  /^--(?:test-only|test-(?:reporter|name-pattern|skip-pattern|timeout|concurrency|shard)=[^/]*|test-force-exit|input-type=(?:module|commonjs|module-typescript)|experimental-(?:strip-types|transform-types|test-coverage|test-module-mocks|test-snapshots|vm-modules|sqlite|detect-module)|trace-(?:warnings|uncaught|deprecation|exit)|unhandled-rejections=\w+|no-deprecation|no-experimental-\w+|disable-warning=\w+|expose-gc|max-old-space-size=\d+|stack-trace-limit=\d+|preserve-symlinks|es-module-specifier-resolution=node)$/;
const plainFlag = /^(?:--test|--check|--version|-V|-v|-u|-B|--enable-source-maps|--no-warnings)$/;
const pythonFlag = /^-(?:[uBEIOOsSqPbx]+|W\w+|Wignore.*|X\w+(?:=\w+)?)$/;
const shellFlag = /^-[nxveu]+$/;
// Modules of python that test or check what is in the worktree.
const pythonModules = new Set(
  'pytest unittest mypy ruff black flake8 isort pylint pyright coverage compileall py_compile json.tool doctest pyflakes pycodestyle pydocstyle bandit vulture yapf autopep8 tabnanny site sysconfig platform'.split(
    ' ',
  ),
);

/**
 * A script of the worktree or of the cell's /tmp may run: it is a file the agent could have a test run as well. Code
 * of the command line may, where the lead named node, python or python3 by itself; any other interpreter takes files.
 */
export function judgeInterpreter(call: ProgramCall): Objection | null {
  const family = programFamily(call.name);
  const args = call.args.slice(call.trusted);
  if (call.args[0] === '-m' && family === 'python') return judgeModule(call, call.args.slice(1));
  const first = firstOperand(call, args);
  const operand = first < 0 ? undefined : args[first];
  const inline = inlineCode(call, operand, args.slice(first + 1));
  if (inline !== null) return judgeInlineCode(call.context, inline.code) ?? judgeRest(call, inline.rest);
  if (operand === undefined && (call.trusted > 0 || needsNoScript(family, args))) return null;
  if (operand === '-m' && family === 'python') return judgeModule(call, args.slice(first + 1));
  // node inspect opens a prompt.
  if (operand === undefined || operand.startsWith('-') || operand === 'inspect')
    return refuseCode(call, operand);
  if (/^(?:deno|bun)$/.test(call.name) && !subcommands.test(operand) && !/[./]/.test(operand))
    return objection('bash-wrapper', `${call.name} ${operand} is not among what it may do here.`);
  return (
    judgeAll(call.context, [{ path: operand, access: 'read' }]) ?? judgeRest(call, args.slice(first + 1))
  );
}

/** An interpreter of another language: the first word is a script, options come after it. */
export function scriptRunner(call: ProgramCall): Objection | null {
  const [script = '', ...rest] = call.args.slice(call.trusted);
  if (/^(?:--version|-version|-v|-V)$/.test(script) && rest.length === 0) return null;
  if (script === '' || script.startsWith('-')) return refuseCode(call, script);
  return judgeAll(call.context, [{ path: script, access: 'read' }]) ?? judgeRest(call, rest);
}

function judgeRest(call: ProgramCall, words: readonly string[]): Objection | null {
  return words.map((one) => judgeLoose(call.context, one)).find((one) => one !== null) ?? null;
}

function refuseCode(call: ProgramCall, operand = ''): Objection {
  return objection(
    'bash-wrapper',
    `${call.name} ${operand} runs code the policy can't see. Put it into a script of the worktree or below /tmp and run that, or use an allowed command.`,
  );
}

const inlineNames = /^(?:node|python|python3)$/;

/** The code given with -c, -e or -p, or on standard input; null: there is none, or it may not be given. */
function inlineCode(
  call: ProgramCall,
  operand: string | undefined,
  rest: readonly string[],
): { readonly code: string; readonly rest: readonly string[] } | null {
  if (!call.isBare || !inlineNames.test(call.name)) return null;
  const option = call.name === 'node' ? /^(?:-e|-p|-pe|--eval|--print)$/ : /^-[uBEIsSq]*c$/;
  if (operand !== undefined && option.test(operand)) {
    const [code, ...others] = rest;
    // Another option of node may follow its code.
    const isPlain = call.name !== 'node' || others.every((one) => !one.startsWith('-'));
    return code === undefined || !isPlain ? null : { code, rest: others };
  }
  const isStandard = operand === undefined || operand === '-';
  return isStandard && call.input !== null ? { code: call.input, rest } : null;
}

/** Without a script, and without one of these, they run what comes on standard input. */
function needsNoScript(family: string, args: readonly string[]): boolean {
  if (args.includes('--version')) return true;
  if (family === 'node' && args.includes('--test')) return true;
  return args.includes(family === 'python' ? '-V' : '-v') && !['sh', 'fish', 'zsh'].includes(family);
}

const valued = /^--test-(?:reporter|name-pattern|skip-pattern|timeout|concurrency|shard)$/;

/** The first argument that is neither a known flag nor a package node loads first; -1: there is none. */
function firstOperand(call: ProgramCall, args: readonly string[]): number {
  const family = programFamily(call.name);
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    if (plainFlag.test(arg) || (family === 'node' && nodeFlag.test(arg))) continue;
    if (family === 'python' && pythonFlag.test(arg)) continue;
    if (family === 'sh' && shellFlag.test(arg)) continue;
    if (family === 'python' && /^-[WX]$/.test(arg) && /^\w+(?:[=:]\w*)*$/.test(args[at + 1] ?? '')) {
      at += 1;
      continue;
    }
    if (family === 'node' && valued.test(arg) && /^[^-/.][^/]*$/.test(args[at + 1] ?? '')) {
      at += 1;
      continue;
    }
    // `node --test -` runs the tests that come on standard input, as `node -` would.
    const attached = /^--(?:import|require|loader)=(.+)$/s.exec(arg)?.[1];
    const loaded = attached ?? (/^(?:--import|--require|--loader|-r)$/.test(arg) ? args[at + 1] : undefined);
    const isPackage = loaded !== undefined && /^@?\w[\w-]*(?:\/\w[\w-]*)*$/.test(loaded);
    if (family !== 'node' || !isPackage) return at;
    if (attached === undefined) at += 1;
  }
  return -1;
}

/** A module of the worktree, as it could be run by its file. */
function isOwnModule({ context: { facts, cwd } }: ProgramCall, module: string): boolean {
  const path = `${cwd}/${module.replaceAll('.', '/')}`;
  return (
    /^\w+(?:\.\w+)*$/.test(module) &&
    [`${path}.py`, `${path}/__main__.py`].some((one) => facts.lstat(one) !== null)
  );
}

/** `python -m pytest …` */
function judgeModule(call: ProgramCall, words: readonly string[]): Objection | null {
  const [module = '', ...args] = words;
  // Of the words the lead wrote the module may be one.
  if (!pythonModules.has(module) && call.trusted >= 2)
    return judgeUnlisted(call.context, module, call.args.slice(call.trusted));
  if (module === 'pip') return call.judgeAs('pip', args);
  if (!pythonModules.has(module) && call.isBare && isOwnModule(call, module))
    return judgeUnlisted(call.context, module, args);
  if (!pythonModules.has(module)) {
    return objection(
      'bash-wrapper',
      `${call.name} -m ${module} is not among the modules known to be safe: ${[...pythonModules].join(', ')}.`,
    );
  }
  const operands = args.filter((arg) => !arg.startsWith('-'));
  // Its second file is the one it writes.
  const written = module === 'json.tool' ? operands.slice(1) : [];
  return (
    judgeAll(
      call.context,
      written.map((path) => ({ path, access: 'write' })),
    ) ?? call.judgeAs(module, args)
  );
}
