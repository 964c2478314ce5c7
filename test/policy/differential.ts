import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expandGlob } from '../../lib/policy/bash/expand-glob.ts';
import { readBash } from '../../lib/policy/bash/read-bash.ts';
import { type BashNode, currentFolder, type SimpleCommand } from '../../lib/policy/bash/syntax.ts';
import { makeTempDir } from '../support/repo.ts';
import { randomCommand, stubs } from './differential-text.ts';
import { realFacts } from './real-facts.ts';

// Not part of the test run: compares the reading of random commands with what real bash starts, inside a cell.
// Usage: node build/test/policy/differential.js [commands] [seed]. Every program bash starts and every file it makes
// must have been predicted.

const anything = '\0anything';

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
const writable: ReadonlySet<string>[] = [];
let generated = 0;
while (predicted.length < count) {
  generated += 1;
  const text = randomCommand(next);
  const tree = readBash(text);
  if ('rule' in tree) continue;
  const commands = commandsOf(tree);
  // A file name in the middle of a text is known to nobody: such words are not foretold.
  // `.` runs a file in bash itself; the policy never lets it.
  const isKnown = !commands.some(
    ({ words }) => words[0]?.text === '.' || words.some((word) => word.unknown === 'name'),
  );
  if (!isKnown) continue;
  writeFileSync(join(list, String(predicted.length)), text);
  predicted.push(commands.map(wordsOf));
  writable.push(new Set(targetsOf(tree)));
}

const script = `cd ${work} && for ((i = 0; i < ${count}; i++)); do text=$(/bin/cat ${list}/$i; echo .); text=\${text%.}; FLAME_LOG=${log}/$i /usr/bin/timeout 5 /bin/bash --norc --noprofile -c "$text" </dev/null >/dev/null 2>&1; /usr/bin/find . -mindepth 1 -printf '%P\\0' > ${log}/$i.made; /bin/rm -rf ${work}/* ${work}/.[!.]*; done`;
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
let made = 0;
for (const name of readdirSync(log).filter((one) => !one.endsWith('.part'))) {
  const at = Number(name.split('.')[0]);
  const words = readFileSync(join(log, name), 'utf8').split('\0').slice(0, -1);
  if (name.endsWith('.made')) {
    made += words.length;
    const hidden = words.find((one) => writable[at]?.has(one) !== true);
    if (hidden === undefined) continue;
    mismatches += 1;
    const text = readFileSync(join(list, String(at)), 'utf8');
    process.stdout.write(
      `MISMATCH ${JSON.stringify(text)}\n  bash made the file ${JSON.stringify(hidden)}\n`,
    );
    continue;
  }
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
  `${generated} generated, ${count} readable, ${ran.size} started ${started} programs, made ${made} files, ${mismatches} mismatches\n`,
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
  if (node.kind === 'test') return node.inner.flatMap(commandsOf);
  if (node.kind === 'if') return node.parts.flatMap(commandsOf);
  if (node.kind === 'for') return node.bodies.flatMap(commandsOf);
  return 'body' in node ? commandsOf(node.body) : node.nodes.flatMap(commandsOf);
}

/** The files in the folder that output may go to. */
function targetsOf(node: BashNode): readonly string[] {
  const own = 'redirections' in node ? node.redirections.filter(({ access }) => access === 'write') : [];
  const below = (): readonly BashNode[] => {
    if (node.kind === 'command') return node.inner;
    if (node.kind === 'test') return node.inner;
    if (node.kind === 'if') return node.parts;
    if (node.kind === 'for') return node.bodies;
    return 'body' in node ? [node.body] : node.nodes;
  };
  const places = own.map(({ target }) =>
    relative(work, resolve(work, target.replaceAll(currentFolder, work))),
  );
  return [...places, ...below().flatMap(targetsOf)];
}

/** The folder is empty at every start, so a wildcard stays as it is unless the command makes a file itself. */
function wordsOf(command: SimpleCommand): string[] {
  return command.words.flatMap((word) => {
    const text = word.text.replaceAll(currentFolder, work);
    const names = word.isGlob ? (expandGlob(text, work, realFacts) ?? []) : [];
    return names.length > 0 ? names : [word.unknown === 'output' ? anything : text];
  });
}
