import { createObjection, type PolicyObjection } from '../policy-rules.ts';
import { unknownTextMarks } from './shell-command-types.ts';

interface BuiltinCall {
  readonly name: string;
  readonly args: readonly string[];
  readonly allowedEnv: readonly string[];
}

/** Builtins that could start programs unseen, or change how later words are read. */
const refused = new Set(
  'eval exec builtin trap alias unalias declare typeset readonly let enable hash shopt bind complete compgen coproc fc history umask ulimit getopts wait jobs bg fg disown suspend logout dirs caller source . ln'.split(
    ' ',
  ),
);

// They steer what is judged anyway.
const steering = new Set(
  'true false : cd pushd popd break continue exit return shift export set unset local read mapfile readarray'.split(
    ' ',
  ),
);

/** Whether it is part of the shell and needs no entry. */
export function isShellSyntax(name: string): boolean {
  return steering.has(name);
}

export function isBuiltin(name: string): boolean {
  return refused.has(name) || steering.has(name);
}

/** Judges what the shell itself does; null: nothing against it. */
export function judgeBuiltin(call: BuiltinCall): PolicyObjection | null {
  const { name, args } = call;
  if (refused.has(name)) return wrapperObjection(name, 'Run the command itself.');
  switch (name) {
    case 'set':
      // Anything else changes how later words are read.
      return /^(?:[-+](?:[eux]+|[eux]*o (?:pipefail|errexit|nounset|xtrace))(?: |$))+$/.test(args.join(' '))
        ? null
        : wrapperObjection(name, 'Allowed is: set -euo pipefail.');
    case 'export':
      return args.every((arg) => call.allowedEnv.includes(arg))
        ? null
        : createObjection(
            'bash-environment',
            `${unknownTextMarks.shown(args.join(' '))} may not be exported. Write NAME=value before the command that needs it.`,
          );
    case 'unset':
      return namesOnly(call, ({ allowedEnv }, one) => isHarmlessVariable(one) || allowedEnv.includes(one));
    case 'local':
    case 'read':
    case 'mapfile':
    case 'readarray':
      return namesOnly(call, (_, one) => isHarmlessVariable(one));
    case 'printf':
      return judgePrintf(args);
    case 'test':
    case '[':
      return judgeTest(args);
    default:
      return null;
  }
}

function namesOnly(call: BuiltinCall, isFree: (call: BuiltinCall, name: string) => boolean): PolicyObjection | null {
  const valued = /^-[adinNptu]$/;
  const names = call.args.filter(
    (arg, at) => !/^-[a-zA-Z]+$/.test(arg) && !valued.test(call.name === 'read' ? (call.args[at - 1] ?? '') : ''),
  );
  const isPlain =
    names.every((one) => isFree(call, one)) &&
    !call.args.some((arg) => /^-[a-zA-Z]*[nif]/.test(arg) && call.name !== 'read');
  return isPlain
    ? null
    : wrapperObjection(call.name, 'Use plain variable names that have no meaning for bash or other programs.');
}

/** `-v` sets a variable, `%n` too: PATH or IFS, and every later word means something else. */
function judgePrintf(args: readonly string[]): PolicyObjection | null {
  const format = (args[0] === '--' ? args[1] : args[0]) ?? '';
  const isOption = (args[0] !== '--' && format.startsWith('-')) || unknownTextMarks.isOpen(format[0] ?? '');
  const counts = /%[-+ #0'I,]*(?:\d+|\*)?(?:\.(?:\d+|\*)?)?[hlLjtz]*n/.test(format.replaceAll('%%', ''));
  return isOption || counts
    ? createObjection('bash-option', 'printf -v and %n set a shell variable. Use printf only to print.')
    : null;
}

/** `-v` and `-R` run what is in a variable's index; everything else only compares. */
function judgeTest(args: readonly string[]): PolicyObjection | null {
  return args.some((arg) => /^-[vR]$/.test(arg) || /\[[^\]]*[$`]/.test(arg))
    ? createObjection(
        'bash-option',
        'test -v and -R can run code in the index of a variable. Compare texts or test for files.',
      )
    : null;
}

export function wrapperObjection(name: string, instead: string): PolicyObjection {
  return createObjection('bash-wrapper', `${name} runs or changes what the policy can't see. ${instead}`);
}

const parts =
  'FILE DIR ROOT BASE OUT COUNT TOTAL VERSION NAME SRC DEST TARGET BRANCH COMMIT SHA HASH REV TMP RESULT RESULTS STATUS RC START END LINE PATTERN TEST TESTS PKG MODULE CHANGED LIST ITEM MSG DB ID CID SCRATCH WORK LOG OUTPUT INPUT REPO OLD NEW EXPECTED ACTUAL TEXT ROW COL IDX SIZE PROBE SPIKE EXIT CODE RET ERR ERRORS PASS FAIL PREFIX SUFFIX MAIN CURRENT LAST FIRST PREV NEXT TASK';
const upper = new Set(parts.split(' ').flatMap((part) => [part, `${part}S`]));

/** Whether a variable means nothing to bash and to programs: a short lower-case name, one letter, or words like FILES. */
export function isHarmlessVariable(name: string): boolean {
  if (/^_?[a-z][a-zA-Z0-9_]{0,20}$/.test(name)) return !/proxy|^_?npm_|^histchars$|^auto_resume$/i.test(name);
  return /^[A-Z]\d?$/.test(name) || name.split('_').every((part) => upper.has(part) || /^\d+$/.test(part));
}
