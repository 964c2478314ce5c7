import { type Objection, objection } from '../rules.ts';
import { judgeAwk } from './awk.ts';
import { judgeCargo, judgeGo } from './go-and-cargo.ts';
import { interpreters, judgeInterpreter } from './interpreters.ts';
import { scanOptions } from './options.ts';
import { insideOnly, judgeLoose, judgeScanned, type ProgramCall, type ProgramRule } from './program.ts';
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
