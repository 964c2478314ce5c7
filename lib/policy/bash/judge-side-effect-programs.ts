import { createObjection, type PolicyObjection } from '../policy-rules.ts';
import { findFirstObjection, type ProgramCall } from './program-call.ts';

// Options that have a program start another one, read its settings from elsewhere, or take its place.
const starting: Readonly<Record<string, RegExp>> = {
  sort: /^--comp/,
  rg: /^--(?:pre|hostname-bin)(?:=|$)/,
  tar: /^--(?:to-c|use-c|checkpoint-a|rsh|rmt|info-s|new-v)|^-(?!-)[A-Za-z]*[IF]/,
  zip: /^-TT|^--unzip-c/,
  split: /^--filter/,
  rsync: /^-(?!-)[A-Za-z]*e|^--rsh|^--rsync-path/,
  make: /^(?:-E|--ev)|^(?:SHELL|\.SHELLFLAGS|MAKE|MAKEFLAGS|GNUMAKEFLAGS|MAKEFILES)=|[`$]\(?|^-(?!-)[A-Za-z]*f-?$/,
  npm: /^--(?:script-shell|shell|node-options|git|editor|prefix|userconfig|globalconfig|init-module|global)(?:=|$)|^-[Cg]$/,
  go: /^--?(?:exec|toolexec|vettool|overlay|modfile|pkgdir|gccgoflags|compiler|C)(?:=|$)|-extld/,
  cargo: /^--config|^-[ZC]/,
  sqlite3: /(?:^|\n)\s*\.(?:shell|system|load|import|output|once|excel|open)|load_extension|^-cmd$/,
  gcc: /^-(?:wrapper|B|fplugin)/,
  java: /^-(?:javaagent|agentlib|agentpath)/,
};
const families: Readonly<Record<string, string>> = { pnpm: 'npm', yarn: 'npm' };

// Subcommands of a program that is listed by its name alone: many of the others fetch, publish or run another program.
const subcommands: Readonly<Record<string, RegExp>> = {
  npm: /^(?:test|run|ci|ls|list|outdated|start|explain|why|root|prefix|view|-v|--version|help)$/,
  pnpm: /^(?:test|run|ls|list|outdated|start|why|-v|--version|[a-z][\w-]*:[\w:-]+|build|lint|format|typecheck|type-check|check-types|coverage|unit|e2e)$/,
  yarn: /^(?:test|run|start|why|-v|--version|[a-z][\w-]*:[\w:-]+|build|lint|format|typecheck|type-check|check-types|coverage|unit|e2e)$/,
  go: /^(?:test|build|vet|list|version|env|fmt|doc|tool)$/,
  cargo:
    /^(?:build|b|check|c|test|t|clippy|fmt|doc|d|bench|tree|metadata|run|r|clean|nextest|version|--version|-V|\+[\w.-]+)$/,
  deno: /^(?:test|run|task|lint|fmt|check|bench|build)$|[./]|^-/,
  bun: /^(?:test|run|task|lint|fmt|check|bench|build)$|[./]|^-/,
  uv: /^(?:run|--version)$/,
  poetry: /^(?:run|check|show|--version)$/,
  bundle: /^(?:exec|check|list|show|--version)$/,
};

/** Whether the subcommands of a program are known here. */
export function hasKnownSubcommands(family: string): boolean {
  return Object.hasOwn(subcommands, family);
}

/** Judges the programs that tools of other kinds would start beside their main purpose. */
export function judgeSideEffectProgram(call: ProgramCall): PolicyObjection | null {
  const { name, family, args, allowedArgumentCount } = call;
  const [subcommand = ''] = args;
  const safe = subcommands[family];
  if (safe !== undefined && allowedArgumentCount === 0 && subcommand !== '' && !safe.test(subcommand))
    return createObjection(
      'bash-not-allowed',
      `${name} ${subcommand} is not allowed, because the configuration does not name it.`,
    );
  const end = args.indexOf('--');
  const own =
    end < 0 || !/^(?:npm|pnpm|yarn|cargo)$/.test(family)
      ? args.slice(allowedArgumentCount)
      : args.slice(allowedArgumentCount, end);
  const refused = starting[families[family] ?? family];
  const bad = own.find((arg) => refused?.test(arg) === true);
  if (bad !== undefined)
    return createObjection('bash-option', `${name} ${bad} could run other programs or settings. Leave it out.`);
  return judgeParts(call, own);
}

function judgeParts({ name, family, args, input }: ProgramCall, own: readonly string[]): PolicyObjection | null {
  const isPacker = /^(?:npm|pnpm|yarn)$/.test(family);
  // Without a script of that name they run the program env, with all that follows.
  if (isPacker && /^run/.test(args[0] ?? '') && args[1] === 'env' && args.length > 2)
    return createObjection('bash-wrapper', `${name} run env may have no arguments, because it would run them.`);
  if (family === 'go' && args[0] === 'tool' && args[1] !== 'cover')
    return createObjection('bash-wrapper', `go tool ${args[1] ?? ''} is not allowed here.`);
  if (family === 'go' && args[0] === 'env' && args.includes('-w'))
    return createObjection('bash-option', 'go env -w changes settings. Leave it out.');
  if (family === 'awk')
    return findFirstObjection(own, (arg, at) =>
      /^-[Fv]/.test(arg) || /^-[Fv]$/.test(own[at - 1] ?? '') ? null : judgeAwk(arg),
    );
  if (family === 'sed') return findFirstObjection(own, judgeSed);
  const hasShell = family === 'sqlite3' && input !== null && (starting.sqlite3?.test(input) ?? false);
  return hasShell
    ? createObjection('bash-option', 'Give sqlite3 only SQL, without dot commands that run programs.')
    : null;
}

/** awk runs what `system` is given, and what stands at either end of a pipe. */
function judgeAwk(script: string): PolicyObjection | null {
  const isOption = /^-(?:f|E|i|l|o|p|d)|^--(?!field|assign|version|re-int|posix|traditional)/.test(script);
  const code = script
    .replaceAll('||', '')
    .replace(/"(?:[^"\\]|\\.)*"/g, '""')
    .replace(/\/(?:[^/\\\n]|\\.)+\//g, '//');
  const runs = /\bsystem\s*\(|@(?:load|include|\w+\s*\()|\|\s*getline|\|&/.test(script) || code.includes('|');
  return runs || isOption
    ? createObjection('bash-option', 'awk could run commands or load code there. Use it only to print and compute.')
    : null;
}

/** sed runs lines by `e`, and what it replaces by the flag of that name. */
function judgeSed(script: string): PolicyObjection | null {
  const isFile = /^-(?!-)[nErsuz]*f|^--file/.test(script);
  const runs =
    /(?:^|[;{}\n])[\s\d$,~+!/]*e(?:\s|$)|^(?:\/(?:[^/\\]|\\.)*\/)[IM!]*\s*e\b/.test(script) ||
    /(?:^|[;{}\n\s\d$/!])s([^\w\s\\])(?:(?!\1)[^\\]|\\[\s\S])*\1(?:(?!\1)[^\\]|\\[\s\S])*\1[gpiImM\d]*e/.test(script);
  return runs || isFile
    ? createObjection('bash-option', 'sed could run commands there. Use it only to print lines or substitute.')
    : null;
}
