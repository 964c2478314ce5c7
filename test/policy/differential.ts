import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expandGlob } from '../../lib/policy/bash/expand-glob.ts';
import { readBash } from '../../lib/policy/bash/read-bash.ts';
import { type BashNode, currentFolder, type SimpleCommand } from '../../lib/policy/bash/syntax.ts';
import { makeTempDir } from '../support/repo.ts';
import { realFacts } from './real-facts.ts';

// Not part of the test run: compares the reading of random commands with what real bash starts, inside a cell.
// Usage: node build/test/policy/differential.js [commands] [seed]. Every program bash starts must have been predicted.

const stubs = ['aa', 'bb', 'cc', 'git', 'rm', 'cat'];
const pieces = [
  ...stubs,
  ' ',
  ' ',
  ' ',
  '\n',
  ';',
  '&&',
  '||',
  '|',
  '|&',
  '&',
  '!',
  '(',
  ')',
  '{',
  '}',
  ' { ',
  '; }',
  '<',
  '>',
  '>>',
  '2>&1',
  '&>',
  '<<EOF',
  "<<'EOF'",
  '<<-EOF',
  '\nEOF\n',
  '\n\tEOF\n',
  '<<<',
  "'",
  '"',
  '\\',
  '\\\n',
  '`',
  '$(',
  '$((',
  '$',
  '${',
  '$x',
  "$'",
  '$"',
  '#',
  ' #',
  '~',
  '=',
  'x=1 ',
  'CI=1 ',
  '*',
  '?',
  '[a]',
  '[',
  ']',
  '{a,b}',
  '{a',
  ',',
  'if ',
  '; then ',
  '; fi',
  ' else ',
  'time ',
  '-m',
  '--',
  'feat: x',
  "\"$(cat <<'EOF'\n",
  '\nEOF\n)"',
  '\t',
  'a',
  'é',
  '[[',
  ']]',
  'function ',
  '()',
  'case ',
  ' in ',
  'esac',
  'for ',
  'do ',
  'done',
  '\\x',
  ':',
  '%',
  '^',
  '@(a)',
  '!(a)',
  'for f in aa bb; do ',
  'for f in * "x y"; do ',
  '; done',
  '$f',
  ' "$f"',
  '$' + '{f}',
  ' "a$f"',
  'break',
  '"$(aa bb)"',
  '1<(aa)',
  ' 2>(bb)',
  '<(cc)',
  '0<',
  '12>',
  '$\\\n',
  '\\\n  ',
  ' \\\naa',
  '"$\\\n',
  ' "x $(git ',
  ')" ',
  '"$(',
  ')"',
  '$(<',
  '[[ -f a ]]',
  '[[ a == b && ! -d c ]]',
  ' && [[ ',
  ' -f ',
  ' == ',
  'set -e; ',
  'export CI=1',
  'exit 1',
  '"$PWD"',
  "'x'",
  '"y z"',
  '<<EOF\nplain\nEOF\n',
  "$'a\\'b'",
];

const anything = '\0anything';
const loops = ['for f in aa bb; do ', 'for f in * "x y" rm; do ', 'for f in {1..3}; do for g in $f; do '];

const count = Number(process.argv[2] ?? 2_000);
let state = Number(process.argv[3] ?? 1);
const next = (limit: number): number => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * limit);
};

const root = makeTempDir('flame-differential');
const [bin, work, log, list] = ['bin', 'work', 'log', 'list'].map((name) => join(root, name)) as [
  string,
  string,
  string,
  string,
];
for (const folder of [bin, work, log, list]) mkdirSync(folder);
for (const name of stubs) {
  // A here-document inside `"$(cat …)"` is text to the policy: that cat hands it on and isn't counted.
  const pass = name === 'cat' ? '(( $# == 0 )) && exec /bin/cat\n' : '';
  const note = `printf '%s\\0' ${name} "$@" > "$FLAME_LOG.$$.part" && /bin/mv "$FLAME_LOG.$$.part" "$FLAME_LOG.$$"`;
  writeFileSync(join(bin, name), `#!/bin/bash\n${pass}${note}\n`);
  chmodSync(join(bin, name), 0o755);
}

const predicted: string[][][] = [];
let generated = 0;
while (predicted.length < count) {
  generated += 1;
  const text = `${next(4) === 0 ? loops[next(loops.length)] : ''}${stubs[next(stubs.length)]} ${Array.from({ length: 1 + next(10) }, () => pieces[next(pieces.length)]).join('')}`;
  const tree = readBash(text);
  if ('rule' in tree) continue;
  const commands = commandsOf(tree);
  // A file name in the middle of a text is known to nobody: such words are not foretold.
  const isKnown = !commands.some(({ words }) => words.some((word) => word.unknown === 'name'));
  if (!isKnown) continue;
  writeFileSync(join(list, String(predicted.length)), text);
  predicted.push(commands.map(wordsOf));
}

const script = `cd ${work} && for ((i = 0; i < ${count}; i++)); do text=$(/bin/cat ${list}/$i; echo .); text=\${text%.}; FLAME_LOG=${log}/$i /usr/bin/timeout 5 /bin/bash --norc --noprofile -c "$text" </dev/null >/dev/null 2>&1; /bin/rm -rf ${work}/* ${work}/.[!.]*; done`;
const cell = [
  '--unshare-user',
  '--unshare-pid',
  '--unshare-net',
  '--unshare-ipc',
  '--die-with-parent',
  '--cap-drop',
  'ALL',
  '--ro-bind',
  '/',
  '/',
  '--dev',
  '/dev',
  '--proc',
  '/proc',
  '--bind',
  work,
  work,
  '--bind',
  log,
  log,
];
const run = spawnSync(
  'bwrap',
  [
    ...cell,
    '--clearenv',
    '--setenv',
    'PATH',
    bin,
    '--setenv',
    'HOME',
    work,
    '--setenv',
    'LC_ALL',
    'C.UTF-8',
    '/bin/bash',
    '-c',
    script,
  ],
  { encoding: 'utf8' },
);
if (run.status === null || run.error !== undefined)
  throw new Error(`bwrap did not run: ${run.error?.message ?? run.stderr}`);

let started = 0;
let mismatches = 0;
const ran = new Set<string>();
for (const name of readdirSync(log).filter((one) => !one.endsWith('.part'))) {
  const at = Number(name.split('.')[0]);
  const words = readFileSync(join(log, name), 'utf8').split('\0').slice(0, -1);
  started += 1;
  ran.add(String(at));
  if (predicted[at]?.some((one) => isSame(one, words)) === true) continue;
  mismatches += 1;
  const text = readFileSync(join(list, String(at)), 'utf8');
  process.stdout.write(
    `MISMATCH ${JSON.stringify(text)}\n  bash ran ${JSON.stringify(words)}\n  predicted ${JSON.stringify(predicted[at])}\n`,
  );
}
process.stdout.write(
  `${generated} generated, ${count} readable, ${ran.size} started ${started} programs, ${mismatches} mismatches\n`,
);
process.exitCode = mismatches > 0 || started === 0 ? 1 : 0;

/** What a command prints stands within one word, and is known to nobody. */
function isSame(foretold: readonly string[], words: readonly string[]): boolean {
  return (
    foretold.length === words.length && foretold.every((one, at) => one === anything || one === words[at])
  );
}

function commandsOf(node: BashNode): readonly SimpleCommand[] {
  if (node.kind === 'command') return [node, ...node.inner.flatMap(commandsOf)];
  if (node.kind === 'test') return [];
  if (node.kind === 'if') return node.parts.flatMap(commandsOf);
  if (node.kind === 'for') return node.bodies.flatMap(commandsOf);
  return 'body' in node ? commandsOf(node.body) : node.nodes.flatMap(commandsOf);
}

/** The folder is empty at every start, so a wildcard stays as it is unless the command makes a file itself. */
function wordsOf(command: SimpleCommand): string[] {
  return command.words.flatMap((word) => {
    const text = word.text.replaceAll(currentFolder, work);
    const names = word.isGlob ? (expandGlob(text, work, realFacts) ?? []) : [];
    return names.length > 0 ? names : [word.unknown === 'output' ? anything : text];
  });
}
