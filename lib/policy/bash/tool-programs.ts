import { type Objection, objection } from '../rules.ts';
import { judgeTar, judgeUnzip, judgeZip } from './archivers.ts';
import { judgeCompiler, judgeJava, judgeMaven } from './compilers.ts';
import { scriptRunner } from './interpreters.ts';
import { scanOptions } from './options.ts';
import {
  judgeAll,
  judgeScanned,
  judgeUnlisted,
  type ProgramCall,
  type ProgramRule,
  plainProgram,
} from './program.ts';

/**
 * Build tools, compilers and archivers a lead may name. Each runs with the options listed here alone: others of
 * theirs start programs, load code from elsewhere or write where no argument shows it.
 */
export const toolPrograms: Readonly<Record<string, ProgramRule>> = {
  tar: judgeTar,
  zip: judgeZip,
  unzip: judgeUnzip,
  gzip: tool('-c -d -k -l -t -v -n -# --stdout --keep --list --test --best --fast', 'streamed'),
  gunzip: tool('-c -k -l -t -v --stdout --keep --list --test', 'streamed'),
  zcat: tool('-f -v', 'read'),
  zgrep: plainProgram('-EFivwnclLhHoqs -e: -A: -B: -C: -m:', 'pattern-first'),
  '7z': refuseTool('Use tar or unzip -l.'),
  cpio: refuseTool('Use tar.'),
  ar: tool('-t -p --version', 'read'),
  split: plainProgram(
    '-ade -l: -b: -n: -C: --lines= --bytes= --number= --numeric-suffixes[=] --additional-suffix=',
    'write',
  ),
  shuf: plainProgram('-ez -n: -i: --echo --head-count= --input-range= --repeat --zero-terminated', 'read'),
  tsort: plainProgram('-', 'read'),
  install: refuseTool('Use cp and mkdir.'),
  rsync: refuseTool('Use cp -r.'),
  patch: refuseTool('Use the Edit tool.'),
  sqlite3: judgeSqlite,
  gcc: judgeCompiler,
  rustc: tool('-O -g -o:> --crate-type= --edition= --emit= --test --version -V', 'read'),
  javac: tool(
    '-g -d:> -s:> -cp:< -classpath:< -encoding: -version -Werror --release= -source: -target:',
    'read',
    true,
  ),
  java: judgeJava,
  cmake: tool('-B:> -S:< -N -G: -D: --build=> --target= --parallel[=] --config= -j: --version', 'read'),
  ctest: tool('-V -VV -N -R: -E: -j: --output-on-failure --verbose --test-dir=< --parallel=', 'none'),
  ninja: tool('-v -n -j: -k: -C:< -t: --version --verbose', 'target'),
  gradle: tool(buildFlags('gradle'), 'target'),
  './gradlew': tool(buildFlags('gradle'), 'target'),
  gradlew: tool(buildFlags('gradle'), 'target'),
  mvn: judgeMaven,
  './mvnw': judgeMaven,
  rake: tool('-q -s -t -n -T -v --quiet --silent --trace[=] --tasks --dry-run --verbose --version', 'target'),
  just: tool('-l -n -q -v --list --dry-run --quiet --verbose --summary --version', 'target'),
  task: tool('-l -a -n -s -v -f --list --list-all --dry --silent --verbose --force --version', 'target'),
  tox: tool('-q -v -r -p[=] -e: -l --parallel[=] --recreate --listenvs --version', 'none', true),
  nox: tool('-l -s: -e: -r -R -k: -t: --list --sessions= --version --no-color', 'none', true),
  hatch: tool('-q -v --version', 'target'),
  bazel: tool('-k --test_output= --keep_going --jobs= --config= --noshow_progress --version', 'target'),
  sbt: tool('-Dsbt.color= --no-colors -no-colors --version', 'words'),
  lein: tool('-v --version', 'target'),
  stack: tool('--fast --ta= --pedantic --version --no-terminal', 'target'),
  cabal: tool('-v[=] -j[=] --test-show-details= --enable-tests --version', 'target'),
  mix: tool(
    '--trace --cover --stale --failed --only= --exclude= --seed= --max-failures= --warnings-as-errors --check-formatted --force',
    'target',
  ),
  dotnet: tool(
    '-c: -f: -v: -l: --no-build --no-restore --configuration= --framework= --verbosity= --filter= --nologo --list-tests -t --verify-no-changes',
    'target',
  ),
  swift: tool(
    '-v -c: --filter= --skip= --parallel --configuration= --verbose --list-tests --skip-build --enable-code-coverage',
    'target',
  ),
  composer: tool('-q -v -n --no-interaction --quiet --verbose --version', 'target'),
  dart: tool(
    '-r: -n: -t: -j: --reporter= --name= --tags= --concurrency= --coverage=> --fatal-infos --set-exit-if-changed --version',
    'target',
  ),
  flutter: tool(
    '-r: -n: -j: --reporter= --name= --plain-name= --tags= --coverage --concurrency= --version',
    'target',
  ),
  zig: tool('-O: --summary= -Doptimize= --release[=] --verbose', 'target'),
  nim: tool('-r -d: --hints: --run --verbosity: --version', 'target'),
  'pre-commit': tool('-a -v --all-files --files --verbose --show-diff-on-failure --version', 'target'),
  'pip-compile': tool('-q -v -n --quiet --verbose --dry-run --no-header --version', 'none'),
  psalm: tool('--no-cache --show-info= --version', 'read'),
  'git-lfs': tool('--version', 'none'),
  lua: scriptRunner,
  tclsh: scriptRunner,
  Rscript: scriptRunner,
  julia: scriptRunner,
  elixir: scriptRunner,
  groovy: scriptRunner,
  scala: scriptRunner,
  kotlin: scriptRunner,
  racket: scriptRunner,
  guile: scriptRunner,
  octave: scriptRunner,
  ocaml: scriptRunner,
  runghc: scriptRunner,
  swipl: scriptRunner,
  sbcl: scriptRunner,
};

type Kind = 'read' | 'none' | 'target' | 'words' | 'streamed';

function buildFlags(_of: 'gradle'): string {
  return '-q -i -s -m -a -x: --quiet --info --stacktrace --dry-run --no-daemon --daemon --offline --tests= --continue --parallel --no-parallel --rerun-tasks --console= --warning-mode= --scan --build-cache --no-build-cache --exclude-task= --version -v';
}

/** `isSingle`: its long options have one dash, so letters aren't read in bundles. */
function tool(spec: string, kind: Kind, isRaw = false): ProgramRule {
  return (call) => {
    const end = call.args.indexOf('--');
    const all = call.args.slice(call.trusted, isRaw && end >= 0 ? end : undefined);
    const scanned = scanOptions(bundled(spec), all.map(doubled(spec)));
    return judgeScanned(call, scanned) ?? judgeTargets(call, scanned.operands, kind);
  };
}

/** `-classpath` is read as `--classpath`: such programs bundle no letters. */
function bundled(spec: string): string {
  return spec
    .split(' ')
    .map((one) => {
      const [, name = '', rest = ''] = /^-(\w[\w.-]+)(.*)$/.exec(one) ?? [];
      return name === '' ? one : `--${name}${rest.replace(/^:/, '=')}`;
    })
    .join(' ');
}

function doubled(spec: string): (arg: string) => string {
  const names = spec.split(' ').flatMap((one) => /^-(\w[\w.-]+)/.exec(one)?.[1] ?? []);
  return (arg) => (names.some((name) => arg === `-${name}` || arg.startsWith(`-${name}=`)) ? `-${arg}` : arg);
}

function judgeTargets(call: ProgramCall, operands: readonly string[], kind: Kind): Objection | null {
  if (kind === 'none' || kind === 'target' || kind === 'words') {
    const odd = operands.find(
      (one) =>
        kind === 'none' ||
        !(kind === 'words' ? /^[\w :./*-]+$/ : /^[\w@:./,+*=-]+$/).test(one) ||
        /^\w+[^/]*=/.test(one),
    );
    if (odd !== undefined)
      return objection('bash-option', `${call.name} ${odd} can't be judged. Give it plain names of targets.`);
    const outer = new Set([
      'run',
      'exec',
      'repl',
      'shell',
      'console',
      'eval',
      'publish',
      'install',
      'exec:java',
      'exec:exec',
    ]);
    const bad = operands.find(
      (one, at) => (at === 0 || kind === 'target') && outer.has(one) && call.trusted === 0,
    );
    if (bad !== undefined)
      return objection('bash-wrapper', `${call.name} ${bad} runs another program. Run that program itself.`);
    return judgeUnlisted(call.context, call.name, operands);
  }
  const files = operands.filter((one) => one !== '-');
  if (kind === 'streamed')
    return judgeAll(
      call.context,
      files.map((path) => ({ path, access: isStreamed(call) ? ('read' as const) : ('write' as const) })),
    );
  return judgeAll(
    call.context,
    files.map((path) => ({ path, access: 'read' as const })),
  );
}

function isStreamed({ args }: ProgramCall): boolean {
  return args.some((arg) => /^-[a-z]*[clt]|^--(?:stdout|list|test)$/.test(arg));
}

function refuseTool(instead: string): ProgramRule {
  return (call) =>
    call.args.length === 1 && call.args[0] === '--version'
      ? null
      : objection('bash-wrapper', `${call.name} can write or run what no argument shows. ${instead}`);
}

/** SQL without functions and statements that reach other files; dot commands run programs. */
function judgeSqlite(call: ProgramCall): Objection | null {
  const scanned = scanOptions(
    '--readonly --json --csv --column --header --noheader --line --list --table --markdown --bail --version',
    call.args.slice(call.trusted).map((arg) => (/^-[a-z]{2,}/.test(arg) ? `-${arg}` : arg)),
  );
  const [file, ...statements] = scanned.operands;
  const texts = [...statements, ...(call.input === null ? [] : [call.input])];
  const odd = texts.find(
    (text) =>
      (/^\s*\./m.test(text) &&
        !/^\s*\.(?:tables|schema(?: \w+)?|headers (?:on|off)|mode \w+)\s*$/.test(text)) ||
      /\b(?:readfile|writefile|load_extension|edit|attach|vacuum\s+into|fts3_tokenizer)\b/i.test(text),
  );
  if (odd !== undefined || (texts.length === 0 && !scanned.given.has('version')))
    return objection(
      'bash-option',
      'sqlite3 takes SQL as its last argument, without dot commands and other files.',
    );
  const unsafe = judgeScanned(call, scanned);
  if (unsafe !== null || file === undefined || file === ':memory:') return unsafe;
  return judgeAll(call.context, [{ path: file, access: scanned.given.has('readonly') ? 'read' : 'write' }]);
}
