import { type Objection, objection } from '../rules.ts';
import { judgeAwk } from './awk.ts';
import { judgeChanged } from './formatters.ts';
import { interpreters, judgeInterpreter } from './interpreters.ts';
import { scanOptions } from './options.ts';
import {
  insideOnly,
  judgeAll,
  judgeLoose,
  judgeScanned,
  type ProgramCall,
  type ProgramRule,
} from './program.ts';
import { judgeSed } from './sed.ts';

/**
 * Build tools and interpreters run the project's own code, which an agent may have written: no rule here can
 * hold that, the sandbox does. These rules keep the tools themselves from being pointed elsewhere.
 */
export const buildPrograms: Readonly<Record<string, ProgramRule>> = {
  make: judgeMake,
  npm: (call) =>
    judgePackageManager(call, [
      'test',
      'run',
      'ci',
      'ls',
      'outdated',
      'start',
      'explain',
      'why',
      'root',
      'prefix',
    ]),
  pnpm: (call) => judgePackageManager(call, ['test', 'run', 'ls', 'outdated', 'start']),
  yarn: (call) => judgePackageManager(call, ['test', 'run', 'start']),
  go: judgeGo,
  cargo: judgeCargo,
  sed: judgeSed,
  awk: judgeAwk,
  ...Object.fromEntries(interpreters.map((name): [string, ProgramRule] => [name, judgeInterpreter])),
};

/** `npm -s test`, `npm t` and `npm run-script x` are written in one way before they are compared. */
export function normalizePackageManager(args: readonly string[]): readonly string[] {
  const quiet = ['-s', '--silent'];
  const isQuiet = (arg: string, at: number): boolean =>
    [...quiet, '-r', '--recursive', '--filter', '-F'].includes(arg) ||
    (/^(?:--filter|-F)$/.test(args[at - 1] ?? '') && /^[\w@*][\w@./*-]*$/.test(arg));
  const first = args.findIndex((arg, at) => !isQuiet(arg, at));
  const [subcommand = '', ...rest] = first < 0 ? [] : args.slice(first);
  const names: Readonly<Record<string, string>> = { t: 'test', tst: 'test', 'run-script': 'run', rum: 'run' };
  return subcommand === '' ? args : [names[subcommand] ?? subcommand, ...rest];
}

// None of them is a command of pnpm or yarn itself.
const scriptNames =
  /^(?:build|lint|format|typecheck|type-check|check-types|coverage|unit|e2e)$|^[a-z][\w-]*:[\w:-]+$/;

function judgePackageManager(call: ProgramCall, safe: readonly string[]): Objection | null {
  const [subcommand = '', ...all] = call.args;
  // They run a script of this name, too; npm doesn't.
  const isScript = call.name !== 'npm' && scriptNames.test(subcommand);
  const isSafe = safe.includes(subcommand) || isScript || /^(?:-v|--version)$/.test(subcommand);
  if (call.trusted === 0 && !isSafe) {
    return objection(
      'bash-not-allowed',
      `${call.name} ${subcommand} is not allowed. Allowed are: ${safe.join(', ')}.`,
    );
  }
  const own = all.slice(Math.max(0, call.trusted - 1));
  const end = own.indexOf('--');
  const args = end < 0 ? own : own.slice(0, end);
  const scanned = scanOptions(
    '-s -w: --silent --quiet --if-present --workspaces --workspace= --include-workspace-root --no-audit --no-fund --prefer-offline --offline --ignore-scripts --loglevel= --json --depth= --no-progress --frozen-lockfile --no-save --filter=',
    args,
  );
  const unsafe = judgeScanned({ ...call, name: `${call.name} ${subcommand}` }, scanned);
  if (unsafe !== null) return unsafe;
  const values = [...scanned.given.values()].flat();
  const eaten = values.find((one) => one.startsWith('-'));
  // npm takes no option for the value of another.
  if (eaten !== undefined) return objection('bash-option', `${call.name} would read ${eaten} as an option.`);
  // Without a script of that name they run the program env, with all that follows.
  if (subcommand === 'run' && scanned.operands[0] === 'env' && (scanned.operands.length > 1 || end >= 0))
    return objection('bash-wrapper', `${call.name} run env takes nothing more: it would run it.`);
  const name = scanned.operands.find((one) => !/^[\w@:./-]+$/.test(one));
  if (name !== undefined && (subcommand === 'run' || subcommand === 'test')) {
    return objection(
      'bash-option',
      `${JSON.stringify(name)} is not a script name. Arguments of the script come after --.`,
    );
  }
  const names = [...scanned.operands, ...values];
  return names.map((one) => judgeLoose(call.context, one)).find((one) => one !== null) ?? null;
}

function judgeMake(call: ProgramCall): Objection | null {
  const scanned = scanOptions(
    '-bBdiknpqrRsStw -j[=] -l[=] -C:< -O[=] --always-make --ignore-errors --jobs[=] --keep-going --just-print --dry-run --recon --silent --quiet --no-print-directory --print-directory --trace --question --version --help --output-sync[=] --directory=<',
    splitJobs(call.args.slice(call.trusted)),
  );
  const variable = scanned.operands.find((one) => one.includes('=') && !isPlainVariable(one));
  if (variable !== undefined) {
    return objection(
      'bash-option',
      `make ${variable} could replace the programs make runs. Give targets, and only plain values like V=1.`,
    );
  }
  const unsafe = judgeScanned({ ...call, context: insideOnly(call.context) }, scanned);
  return (
    unsafe ?? scanned.operands.map((one) => judgeLoose(call.context, one)).find((one) => one !== null) ?? null
  );
}

// The variables of make's own rules: what they hold is run, or is an option of what is run.
const makeTools =
  /^(?:SHELL|MAKE|GNUMAKE).*$|^(?:AR|AS|CC|CXX|CPP|FC|F77|M2C|PC|CO|GET|LD|LEX|LINT|YACC|RM|CP|MV|INSTALL|PATH)$|(?:CMD|COMMAND|EXEC)$/;
const programNames =
  /^(?:rm|mv|cp|dd|ln|sh|bash|dash|zsh|ksh|env|eval|exec|sudo|xargs|curl|wget|nc|ssh|node|perl|ruby|php|python[\d.]*|git|tee|sed|awk|find|chmod|chown|install|kill|busybox)$/;

// By these names a make file hands words on to what it runs.
const argumentsOf =
  /^(?:[A-Z]+_)?(?:ARGS|OPTS|OPTIONS|TESTS?|FILTER|PATTERN|FILES?|PKG|MODULE)=([\w.,:/@+-]+(?: [\w.,:/@=+-]+)*)$/;

function isPlainVariable(text: string): boolean {
  const [, words = ''] = argumentsOf.exec(text) ?? [];
  if (words !== '' && !words.split(' ').some((one) => programNames.test(one))) return true;
  const [, name = '', value = ''] = /^([A-Za-z_]\w*)=([\w.+-]*)$/.exec(text) ?? [];
  return name !== '' && !makeTools.test(name) && !programNames.test(value);
}

/** `-j 4`: the number is optional and may stand apart. */
function splitJobs(args: readonly string[]): readonly string[] {
  return args.filter((arg, at) => !(/^\d+$/.test(arg) && /^(?:-j|--jobs)$/.test(args[at - 1] ?? '')));
}

// Flags of go build, test and vet that neither run another program nor read settings from elsewhere.
const goFlags = new Set(
  'v short race cover failfast benchmem json a x n trimpath c i msan asan fullpath help'.split(' '),
);
const goValues = new Set(
  'ldflags run skip count timeout parallel p cpu bench benchtime list tags covermode coverpkg shuffle vet mod buildvcs buildmode fuzztime fuzz installsuffix'.split(
    ' ',
  ),
);
const goFiles = new Set(
  'o coverprofile cpuprofile memprofile blockprofile mutexprofile trace outputdir'.split(' '),
);

function judgeGo(call: ProgramCall): Objection | null {
  const [subcommand = '', ...args] = call.args;
  const safe = ['test', 'build', 'vet', 'list', 'version', 'env', 'fmt', 'doc', 'tool'];
  if (call.trusted === 0 && !safe.includes(subcommand)) {
    return objection('bash-not-allowed', `go ${subcommand} is not allowed. Allowed are: ${safe.join(', ')}.`);
  }
  if (subcommand === 'tool') return judgeGoTool(call, args);
  const changed = subcommand === 'fmt' ? changedBy(call, /\.go$/) : null;
  if (changed !== null) return changed;
  const rest = [...args.slice(Math.max(0, call.trusted - 1))].reverse();
  for (let arg = rest.pop(); arg !== undefined; arg = rest.pop()) {
    if (arg === '-args' || arg === '--args') return judgeTestArguments(rest);
    const [, name, attached] = /^--?([A-Za-z]+)(?:=(.*))?$/s.exec(arg) ?? [];
    const found = name === undefined ? judgeGoOperand(call, arg) : judgeGoFlag(call, name, attached, rest);
    if (found !== null) return found;
  }
  return null;
}

/** The coverage that a test has written down. */
function judgeGoTool(call: ProgramCall, [tool = '', ...args]: readonly string[]): Objection | null {
  if (tool !== 'cover') return objection('bash-wrapper', `go tool ${tool} is not among what it may do here.`);
  const files = args.map((arg) => /^--?(func|html|o)=(.+)$/s.exec(arg));
  if (files.some((one) => one === null))
    return objection('bash-option', 'Write: go tool cover -func=FILE, or -html=FILE -o=FILE.');
  return judgeAll(
    call.context,
    files.map((one) => ({ path: one?.[2] ?? '', access: one?.[1] === 'o' ? 'write' : 'read' })),
  );
}

/** It changes every source of its language below. */
function changedBy(call: ProgramCall, files: RegExp): Objection | null {
  return judgeChanged(call.context, { name: call.name, places: ['.'], files });
}

/** What follows -args is the tests' own, but every test binary knows `-test.` flags, some of which write files. */
function judgeTestArguments(args: readonly string[]): Objection | null {
  const flag = args.find((arg) => /^--?test\./.test(arg));
  return flag === undefined
    ? null
    : objection('bash-option', `Write go test flags such as ${flag} before -args.`);
}

function judgeGoFlag(
  call: ProgramCall,
  name: string,
  attached: string | undefined,
  rest: string[],
): Objection | null {
  const flag = name.replace(/^test(?=[a-z])/, '');
  if (goFlags.has(flag)) return null;
  if (!goValues.has(flag) && !goFiles.has(flag)) {
    return objection('bash-option', `go -${name} is not among the flags known to be safe. Leave it out.`);
  }
  const value = attached ?? rest.pop() ?? '';
  if (flag === 'ldflags' && !/^(?:(?:-[sw]|-X ?'?[\w./-]+=[\w.+:-]*'?)(?: +|$))+$/.test(value))
    return objection('bash-option', 'go -ldflags takes -s, -w and -X NAME=VALUE here.');
  if (flag === 'vet' && value !== 'off' && !/^[\w,]+$/.test(value))
    return objection('bash-option', 'go -vet takes names of checks.');
  return goFiles.has(flag) && value !== '/dev/null'
    ? judgeAll(call.context, [{ path: value, access: 'write' }])
    : null;
}

function judgeGoOperand(call: ProgramCall, operand: string): Objection | null {
  if (operand.startsWith('-'))
    return objection('bash-option', `go ${operand} is not a flag known to be safe.`);
  if (operand.includes('@'))
    return objection(
      'bash-option',
      `${operand} names a version to download. Use the packages of the module.`,
    );
  return judgeLoose(call.context, operand);
}

const cargoCommands = new Set(
  'build b check c test t clippy fmt doc d bench tree metadata run r clean nextest version --version -V'.split(
    ' ',
  ),
);

/** Its --config and -Z can name programs to run in place of the compiler. */
function judgeCargo(call: ProgramCall): Objection | null {
  const own = call.args.filter((arg, at) => at > 0 || !/^\+[\w.-]+$/.test(arg));
  const [subcommand = ''] = own;
  if (call.trusted === 0 && !cargoCommands.has(subcommand)) {
    return objection(
      'bash-not-allowed',
      `cargo ${subcommand} is not allowed. Allowed are: ${[...cargoCommands].join(', ')}.`,
    );
  }
  const changed =
    (subcommand === 'fmt' && !own.includes('--check')) || own.includes('--fix')
      ? changedBy(call, /\.rs$/)
      : null;
  if (changed !== null) return changed;
  const end = own.indexOf('--');
  const args = end < 0 ? own : own.slice(0, end);
  const bad = args.find((arg) => /^--(?:config|open|artifact-dir|out-dir)(?:=|$)|^-[ZC]/.test(arg));
  if (bad !== undefined)
    return objection('bash-option', `cargo ${bad} could run other programs. Leave it out.`);
  const at = own.indexOf('--target-dir');
  const target = at < 0 ? null : judgeAll(call.context, [{ path: own[at + 1] ?? '', access: 'write' }]);
  if (target !== null) return target;
  return own.map((one) => judgeLoose(call.context, one)).find((one) => one !== null) ?? null;
}
