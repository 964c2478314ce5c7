import { type Objection, objection } from '../rules.ts';
import { judgeFind } from './find.ts';
import { scanOptions } from './options.ts';
import { judgeAll, judgeScanned, type ProgramCall, type ProgramRule, plainProgram } from './program.ts';
import { judgeGrep, judgeRipgrep } from './search-programs.ts';
import { judgeWideSearch } from './wide-search.ts';

const lsOptions =
  '-1aAbBcCdDfFgGhHiklLmnNopqQrRsStuUvxXZ -I: -w: -T: --all --almost-all --author --escape --block-size= --ignore-backups --color[=] --directory --classify[=] --file-type --format= --full-time --group-directories-first --human-readable --si --dereference --hide= --hyperlink[=] --indicator-style= --inode --ignore= --literal --numeric-uid-gid --no-group --hide-control-chars --show-control-chars --quote-name --quoting-style= --reverse --recursive --size --sort= --time= --time-style= --tabsize= --width= --kibibytes --zero --help --version';

const diffOptions =
  '-abBcdeEfiHlnNpqrsTtuwyZ -C: -U: -I: -x: -W: -F: -# --unified[=] --context[=] --brief --recursive --new-file --ignore-case --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-trailing-space --strip-trailing-cr --report-identical-files --side-by-side --width= --text --color[=] --exclude= --show-c-function --label= --normal --minimal --suppress-common-lines';

/** Programs that only look. Options that run something, write, or read lists of files are left out on purpose. */
export const readPrograms: Readonly<Record<string, ProgramRule>> = {
  ls: judgeLs,
  cat: plainProgram(
    '-AbeEnstTuv --number --number-nonblank --show-all --show-ends --show-tabs --squeeze-blank --show-nonprinting --help --version',
    'read',
  ),
  tac: plainProgram('-br -s: --before --regex --separator=', 'read'),
  head: plainProgram(
    '-qvz -c: -n: -# --bytes= --lines= --quiet --silent --verbose --zero-terminated --help --version',
    'read',
  ),
  tail: plainProgram(
    '-qvz -c: -n: -# --bytes= --lines= --quiet --silent --verbose --zero-terminated --help --version',
    'read',
  ),
  wc: plainProgram(
    '-clmLw --bytes --chars --lines --max-line-length --words --total= --help --version',
    'read',
  ),
  grep: judgeGrep,
  egrep: judgeGrep,
  fgrep: judgeGrep,
  rg: judgeRipgrep,
  less: plainProgram(
    '-eEFiIJmMnNqrRSXx -p: --quit-if-one-screen --RAW-CONTROL-CHARS --chop-long-lines --no-init',
    'read',
  ),
  more: plainProgram('-dlfpcsu -n:', 'read'),
  strings: plainProgram('-a -n: -t: -e: --all --bytes= --radix=', 'read'),
  bc: plainProgram('-ilqsw --mathlib --quiet --standard --warn', 'read'),
  cksum: plainProgram('-a: --algorithm=', 'read'),
  sha512sum: plainProgram('-btz --binary --text --tag --zero', 'read'),
  base64: plainProgram('-di -w: --decode --ignore-garbage --wrap=', 'read'),
  hexdump: plainProgram('-bcCdovx -n: -s: -e:', 'read'),
  cut: plainProgram(
    '-nsz -b: -c: -d: -f: --bytes= --characters= --delimiter= --fields= --complement --only-delimited --output-delimiter= --zero-terminated',
    'read',
  ),
  tr: plainProgram('-cCdst --complement --delete --squeeze-repeats --truncate-set1', 'text'),
  nl: plainProgram(
    '-p -b: -d: -f: -h: -i: -l: -n: -s: -v: -w: --body-numbering= --number-format= --number-width= --number-separator=',
    'read',
  ),
  fold: plainProgram('-bs -w: --bytes --spaces --width=', 'read'),
  rev: plainProgram('-0', 'read'),
  paste: plainProgram('-sz -d: --delimiters= --serial --zero-terminated', 'read'),
  column: plainProgram(
    '-tnxLeJ -s: -o: -c: -N: -O: -R: -T: -H: -W: --table --separator= --output-separator= --output-width= --json',
    'read',
  ),
  comm: plainProgram(
    '-123iz --check-order --nocheck-order --output-delimiter= --total --zero-terminated',
    'read',
  ),
  diff: judgeDiff,
  cmp: plainProgram('-bls -n: -i: --bytes= --silent --quiet --verbose --print-bytes', 'read'),
  md5sum: plainProgram('-btz --binary --text --tag --zero', 'read'),
  sha1sum: plainProgram('-btz --binary --text --tag --zero', 'read'),
  sha256sum: plainProgram('-btz --binary --text --tag --zero', 'read'),
  stat: plainProgram('-fLt -c: --format= --printf= --dereference --terse --file-system', 'read'),
  file: plainProgram(
    '-bhiLk0 -F: --brief --mime --mime-type --mime-encoding --dereference --no-dereference --keep-going',
    'read',
  ),
  du: plainProgram(
    '-abcDhHklLmPsSx0 -d: -B: -t: --all --apparent-size --bytes --total --human-readable --summarize --max-depth= --exclude= --si --threshold= --one-file-system --separate-dirs',
    'read',
  ),
  tree: plainProgram(
    '-adfilpsugDhtrcCFJXQNnvqx -L: -P:~ -I: -o:> --noreport --dirsfirst --gitignore --prune --du --si --filelimit= --charset= --matchdirs --ignore-case --sort=',
    'read',
  ),
  od: plainProgram(
    '-abcdfhiloxsv -A: -t: -N: -j: -w: --address-radix= --format= --read-bytes= --skip-bytes= --output-duplicates',
    'read',
  ),
  xxd: fromOneToOther('-abCEeipuv -c: -g: -l: -s: -o:'),
  realpath: plainProgram(
    '-emLPqsz --canonicalize-existing --canonicalize-missing --logical --physical --quiet --no-symlinks --relative-to=< --relative-base=<',
    'read',
  ),
  readlink: plainProgram(
    '-femnqsvz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet',
    'read',
  ),
  basename: plainProgram('-az -s: --multiple --suffix= --zero', 'text'),
  dirname: plainProgram('-z --zero', 'text'),
  jq: judgeJq,
  sort: plainProgram(
    '-bdfghiMnRrsuVzcCm -k: -t: -S: -o:> --parallel= --output=> --key= --field-separator= --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort --human-numeric-sort --ignore-nonprinting --month-sort --numeric-sort --random-sort --reverse --stable --unique --version-sort --zero-terminated --check[=] --merge --buffer-size= --sort= --debug',
    'read',
  ),
  uniq: fromOneToOther(
    '-cdDiuz -f: -s: -w: --count --repeated --all-repeated[=] --skip-fields= --group[=] --ignore-case --skip-chars= --unique --zero-terminated --check-chars=',
  ),
  find: judgeFind,
};

const plainDiff = plainProgram(diffOptions, 'read');

/** Of whole folders it prints the lines of every file below them, where one that is missing counts as empty. */
function judgeDiff(call: ProgramCall): Objection | null {
  const { given, operands } = scanOptions(diffOptions, call.args.slice(call.trusted));
  const has = (...names: readonly string[]): boolean => names.some((name) => given.has(name));
  // Beside a folder of the cell's own that can hold files of any name it shows what has the same one.
  const isBeside = operands.some((path) => path.startsWith('/') && !isBelowWorktree(call, path));
  const isWhole = has('r', 'recursive') && (has('N', 'new-file') || isBeside) && !has('q', 'brief');
  return (
    plainDiff(call) ?? (isWhole ? judgeWideSearch(call.context, { places: operands, follows: 'all' }) : null)
  );
}

function isBelowWorktree({ context }: ProgramCall, path: string): boolean {
  return `${path}/`.startsWith(`${context.policy.worktree}/`);
}

const plainLs = plainProgram(lsOptions, 'read');

/** With -d it names folders and doesn't look into them. */
function judgeLs(call: ProgramCall): Objection | null {
  const { given, operands } = scanOptions(lsOptions, call.args.slice(call.trusted));
  const isOne = given.has('d') || given.has('directory');
  const isDeep = given.has('R') || given.has('recursive') || given.has('l');
  if (!isOne || isDeep) return plainLs(call);
  const names = new Set(operands.map((path) => path.replace(/\/+$/, '')));
  const parents = call.args.map((arg) => (names.has(arg.replace(/\/+$/, '')) ? folderOf(arg) : arg));
  return plainLs({ ...call, args: parents });
}

function folderOf(path: string): string {
  const plain = path.replace(/\/+$/, '');
  return plain.includes('/') && !/(?:^|\/)\.\.?$/.test(plain)
    ? plain.replace(/[^/]*$/, '') || '/'
    : plain === '' || /^\.\.?$|\/\.\.?$/.test(plain)
      ? path
      : '.';
}

const plainJq = plainProgram(
  '-rncsSMCejRa --raw-output --null-input --compact-output --slurp --sort-keys --monochrome-output --color-output --exit-status --join-output --raw-input --ascii-output --tab --indent= --stream --seq',
  'pattern-first',
);

/** `--arg NAME TEXT` takes two words; modules are files of their own. */
function judgeJq(call: ProgramCall): Objection | null {
  const args: string[] = [];
  for (let at = 0; at < call.args.length; at += 1) {
    const arg = call.args[at] ?? '';
    if (arg === '--') return judgeJqWords({ ...call, args: [...args, ...call.args.slice(at)] });
    if (arg === '--arg' || arg === '--argjson') at += 2;
    else args.push(arg);
  }
  return judgeJqWords({ ...call, args });
}

function judgeJqWords(call: ProgramCall): Objection | null {
  if (call.args.some((arg) => /(?<![.\w$])(?:import|include)\s*["#]|\bmodulemeta\b/.test(arg)))
    return objection('bash-option', 'jq may not read modules. Write the filter itself.');
  return plainJq(call);
}

/** The first operand is read, a second one is written. */
function fromOneToOther(spec: string): ProgramRule {
  return (call) => {
    const scanned = scanOptions(spec, call.args.slice(call.trusted));
    const [input, output] = scanned.operands;
    const files = [
      ...(input === undefined || input === '-' ? [] : [{ path: input, access: 'read' as const }]),
      ...(output === undefined ? [] : [{ path: output, access: 'write' as const }]),
    ];
    return judgeScanned(call, scanned) ?? judgeAll(call.context, files);
  };
}
