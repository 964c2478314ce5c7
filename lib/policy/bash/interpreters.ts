import { type Objection, objection } from '../rules.ts';
import { judgeAll, judgeLoose, judgeUnlisted, type ProgramCall } from './program.ts';

export const interpreters: readonly string[] =
  'node python python3 ruby perl php deno bun tsx ts-node bash sh zsh dash ksh'.split(' ');

// Subcommands of deno and bun that take no code from the command line and fetch nothing.
const subcommands = /^(?:test|run|task|lint|fmt|check|bench|build)$/;
// Options of node that neither run code given elsewhere nor write files.
const nodeFlag =
  /^--(?:test-only|test-(?:reporter|name-pattern|skip-pattern|timeout|concurrency|shard)=[^/]*|experimental-(?:strip-types|transform-types|test-coverage|test-module-mocks|vm-modules|sqlite)|trace-(?:warnings|uncaught|deprecation)|no-deprecation|expose-gc|max-old-space-size=\d+|stack-trace-limit=\d+)$/;
const plainFlag = /^(?:--test|--check|--version|-V|-v|-u|-B|--enable-source-maps|--no-warnings)$/;
// Modules of python that test or check what is in the worktree.
const pythonModules = new Set(
  'pytest unittest mypy ruff black flake8 isort pylint pyright coverage compileall py_compile json.tool doctest'.split(
    ' ',
  ),
);

/** A script of the worktree may run; code given on the command line or read from elsewhere may not. */
export function judgeInterpreter(call: ProgramCall): Objection | null {
  const args = call.args.slice(call.trusted);
  if (call.args[0] === '-m' && /^python3?$/.test(call.name)) return judgeModule(call, call.args.slice(1));
  const first = firstOperand(call, args);
  const operand = first < 0 ? undefined : args[first];
  if (operand === undefined && (call.trusted > 0 || needsNoScript(call.name, args))) return null;
  // node inspect opens a prompt.
  if (operand === undefined || operand.startsWith('-') || operand === 'inspect') {
    return objection(
      'bash-wrapper',
      `${call.name} ${operand ?? ''} runs code the policy can't see. Put it into a script of the worktree, or use an allowed command.`,
    );
  }
  if (/^(?:deno|bun)$/.test(call.name) && !subcommands.test(operand) && !/[./]/.test(operand))
    return objection('bash-wrapper', `${call.name} ${operand} is not among what it may do here.`);
  return (
    judgeAll(call.context, [{ path: operand, access: 'read' }]) ??
    args
      .slice(first + 1)
      .map((one) => judgeLoose(call.context, one))
      .find((one) => one !== null) ??
    null
  );
}

/** Without a script, and without one of these, they run what comes on standard input. */
function needsNoScript(name: string, args: readonly string[]): boolean {
  if (args.includes('--version')) return true;
  if (name === 'node' && args.includes('--test')) return true;
  return args.includes(/^python/.test(name) ? '-V' : '-v') && !/sh$/.test(name);
}

/** The first argument that is neither a known flag nor a package node loads first; -1: there is none. */
function firstOperand(call: ProgramCall, args: readonly string[]): number {
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    if (plainFlag.test(arg) || (call.name === 'node' && nodeFlag.test(arg))) continue;
    const attached = /^--(?:import|require)=(.+)$/s.exec(arg)?.[1];
    const loaded = attached ?? (/^(?:--import|--require|-r)$/.test(arg) ? args[at + 1] : undefined);
    const isPackage = loaded !== undefined && /^@?\w[\w-]*(?:\/\w[\w-]*)*$/.test(loaded);
    if (call.name !== 'node' || !isPackage) return at;
    if (attached === undefined) at += 1;
  }
  return -1;
}

/** `python -m pytest …` */
function judgeModule(call: ProgramCall, words: readonly string[]): Objection | null {
  const [module = '', ...args] = words;
  // Of the words the lead wrote the module may be one.
  if (!pythonModules.has(module) && call.trusted >= 2)
    return judgeUnlisted(call.context, module, call.args.slice(call.trusted));
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
    ) ?? judgeUnlisted(call.context, module, args)
  );
}
