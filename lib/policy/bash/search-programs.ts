import { wildcardMatches } from '../../util/path-globs.ts';
import type { Objection } from '../rules.ts';
import { scanOptions } from './options.ts';
import { type ProgramCall, plainProgram } from './program.ts';
import { isSpecific, judgeWideSearch } from './wide-search.ts';

const grepOptions =
  '-EFGPivwxyczlLqsohHnbZTUraRI -e: -f:< -A: -B: -C: -m: -d: -D: -# --extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp= --file=< --ignore-case --no-ignore-case --word-regexp --line-regexp --null-data --no-messages --invert-match --max-count= --byte-offset --line-number --line-buffered --with-filename --no-filename --label= --only-matching --quiet --silent --binary-files= --text --directories= --devices= --recursive --dereference-recursive --include=~ --exclude= --exclude-from=< --exclude-dir= --files-without-match --files-with-matches --count --initial-tab --null --before-context= --after-context= --context= --color[=] --colour[=] --help --version';

const ripgrepOptions =
  '-.acFHhiIlLnNoPpqsSuUvwx0V -e: -f:< -g:~ -t: -T: -A: -B: -C: -m: -M: -j: -r: -d: -E: --glob=~ --iglob=~ --type-add= --type= --type-not= --regexp= --file=< --ignore-case --smart-case --case-sensitive --fixed-strings --word-regexp --line-regexp --invert-match --count --count-matches --files --files-with-matches --files-without-match --hidden --no-hidden --no-ignore --no-ignore-vcs --no-heading --heading --line-number --no-line-number --column --only-matching --max-count= --max-depth= --max-columns= --max-filesize= --multiline --multiline-dotall --pcre2 --pretty --quiet --replace= --sort= --sortr= --stats --json --text --trim --vimgrep --with-filename --no-filename --null --color= --colors= --context= --after-context= --before-context= --context-separator= --passthru --follow --one-file-system --threads= --type-list --encoding= --no-messages --unrestricted --no-config --crlf --binary --version --help';

const plainGrep = plainProgram(grepOptions, 'pattern-first');

const plainRipgrep = plainProgram(ripgrepOptions, 'pattern-first');

/** What it looks for, and where. */
function searchOf(
  call: ProgramCall,
  spec: string,
): {
  readonly patterns: readonly string[];
  readonly places: readonly string[];
  readonly given: ReadonlyMap<string, readonly string[]>;
} {
  const { given, operands } = scanOptions(spec, call.args.slice(call.trusted));
  const named = [...(given.get('e') ?? []), ...(given.get('regexp') ?? [])];
  const isNamed = named.length > 0 || given.has('f') || given.has('file') || given.has('files');
  return {
    patterns: isNamed ? named : operands.slice(0, 1),
    places: isNamed ? operands : operands.slice(1),
    given,
  };
}

/** A search through folders reads all below them; one that only names or counts files shows none of their lines. */
export function judgeGrep(call: ProgramCall): Objection | null {
  const { patterns, places, given } = searchOf(call, grepOptions);
  const has = (...names: readonly string[]): boolean => names.some((name) => given.has(name));
  const isDeep = has('r', 'R', 'recursive', 'dereference-recursive');
  const isNarrow = patterns.length > 0 && patterns.every(isSpecific) && !has('v', 'invert-match');
  const isQuiet = has('l', 'L', 'c', 'q', 'files-with-matches', 'files-without-match', 'count', 'quiet');
  const plain = plainGrep(call);
  if (plain !== null || !isDeep || isNarrow || isQuiet) return plain;
  const values = (name: string): readonly string[] => given.get(name) ?? [];
  const [included, excluded, folders] = [values('include'), values('exclude'), values('exclude-dir')];
  return judgeWideSearch(call.context, {
    places,
    follows: has('R', 'dereference-recursive') ? 'all' : 'given',
    takes: (below) =>
      (included.length === 0 || included.some((one) => matchesName(one, below))) &&
      !excluded.some((one) => matchesName(one, below)),
    skips: (name) => folders.some((one) => matchesName(one, name)),
  });
}

/** Without being asked it leaves hidden files out. */
export function judgeRipgrep(call: ProgramCall): Objection | null {
  const { patterns, places, given } = searchOf(call, ripgrepOptions);
  const has = (...names: readonly string[]): boolean => names.some((name) => given.has(name));
  const isNarrow = patterns.length > 0 && patterns.every(isSpecific) && !has('v', 'invert-match', 'passthru');
  const isQuiet = has(
    'l',
    'c',
    'q',
    'files',
    'files-with-matches',
    'files-without-match',
    'count',
    'count-matches',
    'quiet',
    'type-list',
  );
  const plain = plainRipgrep(call);
  if (plain !== null || isNarrow || isQuiet || patterns.length === 0) return plain;
  // At the end of a pipe it reads what comes there.
  if (places.length === 0 && call.context.piped !== undefined) return null;
  const globs = ['g', 'glob', 'iglob'].flatMap((name) => given.get(name) ?? []);
  const [out, only] = [
    globs.filter((one) => one.startsWith('!')).map((one) => one.slice(1)),
    globs.filter((one) => !one.startsWith('!')),
  ];
  const isHidden = has('hidden', '.', 'u', 'uu', 'unrestricted');
  return judgeWideSearch(call.context, {
    places,
    follows: has('L', 'follow') ? 'all' : 'given',
    takes: (below) =>
      (isHidden || !/(?:^|\/)\./.test(below)) &&
      (only.length === 0 || only.some((one) => matchesName(one, below))) &&
      !out.some((one) => matchesName(one, below)) &&
      !has('t', 'type'),
    skips: (name) =>
      (!isHidden && name.startsWith('.')) ||
      out.some((one) => matchesName(one.replace(/\/(?:\*\*)?$/, ''), name)),
  });
}

/** A glob over names alone, or over the whole path below where the search began. */
function matchesName(glob: string, below: string): boolean {
  return (
    wildcardMatches(glob, below.split('/').at(-1) ?? below) ||
    wildcardMatches(glob, below) ||
    wildcardMatches(`**/${glob}`, below)
  );
}
