import { judgePathByName } from '../judge-path.ts';
import { createObjection, type PolicyObjection } from '../policy-rules.ts';
import { wrapperObjection } from './builtins.ts';
import { isFileChangingProgram, judgeChangedPath } from './judge-changed-files.ts';
import { judgeInlineCode, judgePathsInWord, listStartsOfFind } from './judge-mentioned-paths.ts';
import { findFirstObjection, type ProgramCall } from './program-call.ts';
import { unknownTextMarks } from './shell-command-types.ts';

type Rule = (call: ProgramCall) => PolicyObjection | null;

/** Programs that run others: what they run is judged as if it were typed. */
export const wrappers: Readonly<Record<string, Rule>> = {
  time: (call) => call.judgeInner(without(call.args, /^$/, /^-p$/)),
  nice: (call) => call.judgeInner(without(call.args, /^-n$|^--adjustment$/, /^-\d+$|^-n-?\d+$|^--adjustment=/)),
  ionice: (call) => call.judgeInner(without(call.args, /^-[cn]$/, /^-[cn]\d$|^-t$/)),
  stdbuf: (call) => call.judgeInner(without(call.args, /^-[ioe]$/, /^-[ioe]\w+$|^--(?:input|output|error)=/)),
  timeout: (call) => {
    const [limit = '', ...inner] = without(call.args, /^-[ks]$/, /^-/);
    return /^[\d.]+[smhd]?$/.test(unknownTextMarks.filled(limit)) || limit === unknownTextMarks.number
      ? call.judgeInner(inner)
      : createObjection('bash-option', 'Write it like: timeout 60 COMMAND.');
  },
  command: (call) =>
    /^-[vV]+$/.test(call.args[0] ?? '')
      ? null
      : wrapperObjection('command', 'command -v NAME asks where a program is.'),
  env: judgeEnv,
  xargs: judgeXargs,
  find: judgeFind,
  sh: judgeShell,
};

/** The words of a command after the options of what starts it. */
function without(args: readonly string[], valued: RegExp, flag: RegExp): readonly string[] {
  const [first = '', ...rest] = args;
  if (valued.test(first)) return without(rest.slice(1), valued, flag);
  return flag.test(first) ? without(rest, valued, flag) : args;
}

/** `env NAME=value COMMAND`, with the variables that may be set anyway. */
function judgeEnv(call: ProgramCall): PolicyObjection | null {
  const first = call.args.findIndex((arg) => !/^[A-Za-z_]\w*=/.test(arg));
  const given = first < 0 ? call.args : call.args.slice(0, first);
  const refused = findFirstObjection(given, (one) => {
    const [, name = '', value = ''] = /^(\w+)=(.*)$/s.exec(one) ?? [];
    return judgeVariableBeforeCommand(call.context, name, value);
  });
  if (refused !== null || first < 0) return refused;
  return call.args[first]?.startsWith('-') === true
    ? wrapperObjection('env', 'Write NAME=value before the command itself.')
    : call.judgeInner(call.args.slice(first));
}

/** Judges a variable set in front of a command: pagers are programs, and programs in a search path run. */
export function judgeVariableBeforeCommand(
  context: ProgramCall['context'],
  name: string,
  value: string,
): PolicyObjection | null {
  const { allowed_env: allowed } = context.policy;
  if (!allowed.includes(name))
    return createObjection(
      'bash-environment',
      `${name} may not be set. A command may set: ${allowed.slice(0, 12).join(', ') || 'nothing'}.`,
    );
  if (/PAGER$/.test(name) && !/^(?:cat|less(?: -[A-Za-z]+)?)?$/.test(value))
    return createObjection('bash-environment', `${name} names a program. It may be cat or empty.`);
  if (name !== 'PYTHONPATH') return null;
  const inside = { ...context, policy: { ...context.policy, extra_writable: [] } };
  return findFirstObjection(
    value.split(':').filter((one) => one !== ''),
    (path) => judgePathsInWord(inside, path, 'file'),
  );
}

/** Judges the command of xargs, which gets more words behind its own that only xargs will know. */
function judgeXargs({ args, judgeInner, piped }: ProgramCall): PolicyObjection | null {
  const at = args.findIndex((arg, index) => !/^-./.test(arg) && !/^-[nLPIdEsa]$/.test(args[index - 1] ?? ''));
  const options = at < 0 ? args : args.slice(0, at);
  const odd = options.find((arg) =>
    /^-(?![0rtxnLPIdEsap])|^--(?!null|no-run|verbose|max-|delimiter|replace|arg-file|exit)/.test(arg),
  );
  if (odd !== undefined) return wrapperObjection(`xargs ${odd}`, 'Leave the option out.');
  const run = at < 0 ? ['echo'] : args.slice(at);
  const replaced = options.flatMap(
    (arg, index) => /^-I(.+)$/s.exec(arg)?.[1] ?? (arg === '-I' ? (args[index + 1] ?? '') : []),
  )[0];
  // The possible content of one word: a line of it could be more than one.
  const word =
    piped.length === 1 && piped[0] === unknownTextMarks.names ? unknownTextMarks.names : unknownTextMarks.any;
  if (replaced === undefined || replaced === '') return judgeInner([...run, word]);
  return judgeInner(run.map((one) => one.replaceAll(replaced, word)));
}

function judgeFind(call: ProgramCall): PolicyObjection | null {
  const { args, context } = call;
  const given = listStartsOfFind(args).filter((arg) => !arg.startsWith('-'));
  const places = given.length === 0 ? ['.'] : given;
  const follows = args.some((arg) => /^(?:-L|-follow)$/.test(arg));
  if (
    follows &&
    args.some(
      (arg, at) => arg === '-delete' || (/^-(?:exec|ok)/.test(arg) && isFileChangingProgram(args[at + 1] ?? '')),
    )
  )
    return createObjection(
      'bash-option',
      'find -L follows links, so it can find files elsewhere. Change files without -L.',
    );
  for (let at = 0; at < args.length; at += 1) {
    if (/^-f(?:print0?|printf|ls)$/.test(args[at] ?? '')) {
      const found = judgeChangedPath(context, args[at + 1] ?? '', 'write');
      if (found !== null) return found;
    }
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(args[at] ?? '')) continue;
    const end = args.findIndex(
      (arg, index) => index > at && (arg === ';' || (arg === '+' && args[index - 1] === '{}')),
    );
    const run = args.slice(at + 1, end < 0 ? undefined : end);
    if (run.length === 0 || (run[0] ?? '').includes('{}'))
      return createObjection('bash-option', 'find -exec needs a named program: find … -exec PROGRAM {} +');
    const found = findFirstObjection(places, (place) =>
      call.judgeInner(
        run.map((word) => word.replaceAll('{}', `${place.replace(/\/+$/, '')}/${unknownTextMarks.names}`)),
      ),
    );
    if (found !== null) return found;
  }
  const isFiltered = args.some((arg) => /^-(?:i?name|i?path|i?regex|newer\w*|mtime|mmin)$/.test(arg));
  return args.includes('-delete')
    ? findFirstObjection(places, (place) =>
        judgeChangedPath(context, isFiltered ? `${place}/${unknownTextMarks.names}` : place, 'remove'),
      )
    : null;
}

/** A shell runs a line, which is judged, or a script; what comes on its standard input only where it is known. */
function judgeShell(call: ProgramCall): PolicyObjection | null {
  const { args, context, input } = call;
  const at = args.findIndex((arg, index) => !/^[-+]/.test(arg) && args[index - 1] !== '-o');
  const options = at < 0 ? args : args.slice(0, at);
  const [first] = at < 0 ? [] : args.slice(at);
  const odd = options.find(
    (arg) => !/^-[nxveul]*c?$|^-o$|^(?:pipefail|errexit|nounset)$|^--(?:noprofile|norc)$/.test(arg),
  );
  if (odd !== undefined || unknownTextMarks.isIn(first ?? '')) return refuseCode(call, odd ?? '');
  if (first === undefined) return input === null ? refuseCode(call, '') : context.judgeLine(input);
  const isLine = options.some((arg) => /^-[nxveul]*c$/.test(arg));
  const line = isLine ? context.judgeLine(first) : judgePathsInWord(context, first, 'file');
  return line ?? findFirstObjection(args.slice(at + 1), (arg) => judgePathsInWord(context, arg, 'file'));
}

function refuseCode({ name }: ProgramCall, operand: string): PolicyObjection {
  return wrapperObjection(
    `${name} ${operand}`.trim(),
    'Put the code into a script in the worktree or below /tmp and run that, or run the commands directly.',
  );
}

export const interpreters = new Set(
  'node python ruby perl php deno bun tsx ts-node fish lua tclsh Rscript julia elixir groovy scala kotlin racket guile octave ocaml runghc swipl sbcl'.split(
    ' ',
  ),
);

/**
 * A script of the worktree may run: it is a file the agent could have a test run as well. Code of the command line may, where the
 * lead named the interpreter by itself.
 */
export function judgeInterpreter(call: ProgramCall): PolicyObjection | null {
  const { family, args, allowedArgumentCount, context, isListedAlone, input } = call;
  const own = args.slice(allowedArgumentCount);
  const inline = /^(?:-[A-Za-z]*[cepr]|-pe|--(?:eval|print|command)(?:=.*)?)$/s;
  const at = own.findIndex((arg) => inline.test(arg) && !(family === 'node' && arg === '-r'));
  const [module = ''] = family === 'python' ? modulesIn(args) : [];
  if (/^(?:pip|ensurepip|http\.server|webbrowser)$/.test(module))
    return wrapperObjection(
      `${call.name} -m ${module}`,
      'There is no network here. Work with what is in the worktree.',
    );
  if (at < 0 && (own.some((arg) => !arg.startsWith('-')) || allowedArgumentCount > 0 || own.includes('--test')))
    return null;
  if (!isListedAlone && allowedArgumentCount === 0) return refuseCode(call, own[0] ?? '');
  const code = at < 0 ? (input ?? '') : (own[at + 1] ?? '');
  return judgeInlineCode(context, family, code);
}

/** Lists the modules that `python -m` names, wherever they stand. */
function modulesIn(args: readonly string[]): readonly string[] {
  return args.flatMap((arg, at) => {
    const attached = /^-[A-Za-z]*m(.*)$/s.exec(arg)?.[1];
    return attached === undefined ? [] : [attached || (args[at + 1] ?? '')];
  });
}

/** A runner starts what the project has installed. */
export function judgeInstalledProgram(
  { policy, facts }: ProgramCall['context'],
  name: string,
  isKnown: boolean,
): PolicyObjection | null {
  const path = `node_modules/.bin/${name}`;
  const isThere = isKnown || facts.lstat(`${policy.worktree}/${path}`) !== null;
  return isThere && judgePathByName({ ...policy, hidden_paths: [] }, path, 'read') === null
    ? null
    : wrapperObjection(name, 'The project has not installed it, and nothing can be downloaded here.');
}
