import { judgePath, judgePathByName, type PathContext } from '../judge-path.ts';
import type { PolicyObjection } from '../policy-rules.ts';
import { normalizeAbsolute } from '../resolve-path.ts';
import { judgeWildcardAimedAtHidden } from './judge-glob.ts';
import { findFirstObjection, type ProgramCall } from './program-call.ts';
import { unknownTextMarks } from './shell-command-types.ts';

// Programs that show their arguments or compute with them, and open no file.
const textPrograms = new Set(
  'echo printf true false : expr seq date sleep tr basename dirname yes which type command exit return break continue set unset export local read shift kill nproc'.split(
    ' ',
  ),
);
// Their first operand is a pattern or a script, unless an option gives it.
const scripted: Readonly<Record<string, { readonly gives: RegExp; readonly valued: RegExp }>> = {
  grep: { gives: /^-[A-Za-z]*[ef]$|^-[ef]|^--(?:regexp|file)/, valued: /^-[A-Za-z]*[ABCmdD]$/ },
  rg: {
    gives: /^-[A-Za-z]*[ef]$|^--(?:regexp|file|files|type-list)/,
    valued: /^-[A-Za-z]*[ABCmgtTjE]$|^--(?:i?glob|type)$/,
  },
  sed: { gives: /^-[nErsuz]*[ef]$|^-[ef]|^--(?:expression|file)/, valued: /^(?!)/ },
  awk: { gives: /^-f|^--file/, valued: /^-[Fv]$/ },
  jq: { gives: /^-f|^--from-file/, valued: /^--(?:arg|argjson|indent)$/ },
};
const aliases: Readonly<Record<string, string>> = { egrep: 'grep', fgrep: 'grep', zgrep: 'grep' };
// Options whose patterns leave files out.
const excluding = /^--(?:exclude|ignore|skip|omit)|^-[A-Za-z]*I$|^!/;
// Streams, not files.
export const standardStreamPattern = /^(?:\/dev\/(?:null|stdin|stdout|stderr|zero|fd\/\d+)|-|\u0007)$/;

/**
 * Refuses a word that plainly names a hidden, protected or outside path, for any program. Where cells hide
 * such files this gives the reason early; without a sandbox only this keeps an honest agent out.
 */
export function judgeMentionedPaths(call: ProgramCall): PolicyObjection | null {
  const { context, family, args, allowedArgumentCount } = call;
  if (textPrograms.has(family)) return null;
  if (family === 'find') {
    const compared = args.filter((_, index) => comparing.test(args[index - 1] ?? ''));
    return findFirstObjection([...listStartsOfFind(args), ...compared], (one) =>
      judgePathsInWord(context, one, 'file'),
    );
  }
  const kind = scripted[aliases[family] ?? family];
  const at = kind === undefined ? -1 : scriptAt(args, kind);
  const isReader = readers.has(family);
  const end = args.indexOf('--');
  return findFirstObjection(args.slice(allowedArgumentCount), (arg, index) => {
    const here = index + allowedArgumentCount;
    const before = args[here - 1] ?? '';
    const isText = here === at || (kind !== undefined && /^-[A-Za-z]*e$|^--(?:regexp|expression)$/.test(before));
    if (isText) return family === 'sed' ? judgeSedFiles(context, arg) : judgeInlineCode(context, family, arg);
    if (excluding.test(arg) || excluding.test(before)) return null;
    // A value of an option, or an argument of a script, may be any text.
    const isOther = before.startsWith('-') || (end >= 0 && here > end);
    return judgePathsInWord(context, arg, isReader ? 'file' : isOther ? 'text' : 'path');
  });
}

function scriptAt(args: readonly string[], { gives, valued }: (typeof scripted)[string] & object): number {
  if (args.some((arg) => gives.test(arg))) return -1;
  return args.findIndex((arg, at) => arg !== '' && !/^-./.test(arg) && !valued.test(args[at - 1] ?? ''));
}

// Options of find that name files to compare with, or to write.
const comparing = /^-(?:newer\w*|samefile|anewer|cnewer|files0-from|fprint0?|fls)$/;

/** The words of find before its tests: the folders it starts in, and options about links. */
export function listStartsOfFind(args: readonly string[]): readonly string[] {
  const first = args.findIndex((arg) => /^(?:-(?![HLPO]\d?$)|[(!])/.test(arg));
  return first < 0 ? args : args.slice(0, first);
}

// Their operands are files.
const readers = new Set(
  'ls cat tac zcat head tail wc nl grep egrep fgrep zgrep rg find tree du stat file less more strings sort uniq cut paste fold rev column comm cmp diff od xxd hexdump jq sed awk md5sum sha1sum sha256sum sha512sum cksum base64 realpath readlink df test [ tee mkdir rmdir touch cp mv rm unlink truncate chmod tar gzip gunzip zip unzip split shuf'.split(
    ' ',
  ),
);

/** file: its name can be any word · path: it may not lead outside though nothing may be there · text: only what is there counts. */
type Reading = 'file' | 'path' | 'text';

/** Judges the paths in one word. */
export function judgePathsInWord(context: PathContext, word: string, reading: Reading): PolicyObjection | null {
  if (standardStreamPattern.test(word) || word.includes('://') || word.length > 2_000) return null;
  const option = /^(?:--?[\w.-]+=|-[A-Za-z](?=[./~]))(.*)$/s.exec(word)?.[1];
  const whole = option ?? (word.startsWith('-') ? '' : word);
  const pieces = whole
    .replace(/^@(?=[./\w])/, '')
    .split(/[=,:]/)
    .filter((one) => one !== whole);
  return judgePiece(context, whole, reading) ?? findFirstObjection(pieces, (one) => judgePiece(context, one, 'text'));
}

function judgePiece(context: PathContext, text: string, reading: Reading): PolicyObjection | null {
  if (text === '' || text.includes('\n') || standardStreamPattern.test(text)) return null;
  if (unknownTextMarks.isIn(text)) return judgeAround(context, text);
  // `pytest -k infra` asks for a name.
  if (reading !== 'file' && /^\w[\w-]*$/.test(text)) return null;
  const aimed = /[*?[{]/.test(text) ? judgeWildcardAimedAtHidden(context, text) : null;
  if (aimed !== null) return aimed;
  const { facts, cwd } = context;
  const isThere = (): boolean => facts.lstat(text.startsWith('/') ? text : `${cwd}/${text}`) !== null;
  const found = judgePath(context, text, 'read');
  if (found === null) return null;
  const isVague = found.rule === 'path-outside' || found.rule === 'path-malformed';
  const isExplicit = text.startsWith('~') || (reading !== 'text' && found.rule === 'path-outside');
  return !isVague || isExplicit || (found.rule === 'path-outside' && isThere()) ? found : null;
}

/** Of a word that is known in parts: the folder before what is not known, and the name behind it. */
function judgeAround({ policy, facts, cwd }: PathContext, text: string): PolicyObjection | null {
  const filled = unknownTextMarks.filled(text);
  if (!unknownTextMarks.isIn(filled)) return judgePiece({ policy, facts, cwd }, filled, 'text');
  const folder = /^([^\u0001-\u0007]+)\//.exec(text)?.[1];
  const name = /\/([^\u0001-\u0007]+)$/.exec(text)?.[1];
  const inside = folder === undefined ? null : judgePiece({ policy, facts, cwd }, folder, 'text');
  return inside ?? (name === undefined ? null : judgePathByName(policy, normalizeAbsolute(name).slice(1), 'read'));
}

/** Files that a script of sed reads or writes; the file system behind them is the cell's. */
function judgeSedFiles(context: PathContext, script: string): PolicyObjection | null {
  const files = [...script.matchAll(/(?:(?:^|[;{}\d$!\n]|\s)[rRwW]\s*|\/[rRwW]\s+)([^\s;}]+)/g)].flatMap(
    ([, file]) => file ?? [],
  );
  return findFirstObjection(files, (file) => judgePathsInWord(context, file, 'text'));
}

/** Code on the command line: a path in it as a string of its own shows what it is for. */
export function judgeInlineCode(context: PathContext, family: string, code: string): PolicyObjection | null {
  if (family === 'grep' || family === 'rg' || aliases[family] === 'grep') return null;
  const texts = ['"', "'", '`'].flatMap((quote) =>
    code
      .split(quote)
      .flatMap((piece) => piece.split(/\s+/))
      .filter((one) => /^[\w.@~+/-]{2,200}$/.test(one) && /^[./]|\/|\.\w+$/.test(one)),
  );
  const { policy, cwd } = context;
  return findFirstObjection(texts, (text) => {
    const path = normalizeAbsolute(text.startsWith('/') ? text : `${cwd}/${text}`);
    return path.startsWith(`${policy.worktree}/`)
      ? judgePathByName(policy, path.slice(policy.worktree.length + 1), 'read')
      : null;
  });
}
