import { type Objection, objection } from '../rules.ts';
import { judgeChanged } from './formatters.ts';
import { judgeAll, judgeLoose, type ProgramCall } from './program.ts';

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

/** The subcommands that build, test and look, with flags that start nothing else. */
export function judgeGo(call: ProgramCall): Objection | null {
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
export function judgeCargo(call: ProgramCall): Objection | null {
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
