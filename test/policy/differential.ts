import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expandGlob } from '../../lib/policy/bash/expand-glob.ts';
import { readBash } from '../../lib/policy/bash/read-bash.ts';
import {
  type BashNode,
  currentFolder,
  outputMark,
  type SimpleCommand,
  type Word,
} from '../../lib/policy/bash/syntax.ts';
import { makeTempDir } from '../support/repo.ts';
import { randomCommand, stubs } from './differential-text.ts';
import { realFacts } from './real-facts.ts';

const anything = '\0anything';
// Without quotes the output of a command is as many words as it holds, or none.
const anyWords = '\0any words';

export interface Comparison {
  readonly generated: number;
  readonly readable: number;
  /** Commands of which bash started something, and how many programs. */
  readonly ran: number;
  readonly started: number;
  readonly made: number;
  readonly mismatches: readonly string[];
}

interface Place {
  readonly bin: string;
  readonly work: string;
  readonly log: string;
  readonly list: string;
}

interface Prediction {
  /** Of each command the programs it may start, with their arguments. */
  readonly programs: readonly (readonly string[])[];
  /** The files it may make. */
  readonly files: ReadonlySet<string>;
}

/**
 * Compares the reading of random commands with what real bash starts, inside a cell: every program bash starts and
 * every file it makes must have been predicted.
 */
export function compareWithBash(count: number, seed: number): Comparison {
  const place = makePlace();
  const { predictions, generated } = predict(place, count, chanceFrom(seed));
  runAll(place, count);
  return { generated, readable: count, ...compare(place, predictions) };
}

function chanceFrom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

function makePlace(): Place {
  const root = makeTempDir('flame-differential');
  const at = (name: string): string => join(root, name);
  const place = { bin: at('bin'), work: at('work'), log: at('log'), list: at('list') };
  for (const folder of Object.values(place)) mkdirSync(folder);
  for (const name of stubs) {
    // A here-document inside `"$(cat …)"` is text to the policy: that cat hands it on and isn't counted.
    const pass = name === 'cat' ? '(( $# == 0 )) && exec /bin/cat\n' : '';
    const note = `printf '%s\\0' ${name} "$@" > "$FLAME_LOG.$$.part" && /bin/mv "$FLAME_LOG.$$.part" "$FLAME_LOG.$$"`;
    writeFileSync(join(place.bin, name), `#!/bin/bash\n${pass}${note}\n`);
    chmodSync(join(place.bin, name), 0o755);
  }
  return place;
}

/** Writes down commands that can be read, and what they will do. */
function predict(
  { work, list }: Place,
  count: number,
  next: (limit: number) => number,
): { readonly predictions: readonly Prediction[]; readonly generated: number } {
  const predictions: Prediction[] = [];
  let generated = 0;
  while (predictions.length < count) {
    generated += 1;
    const text = randomCommand(next);
    const tree = readBash(text);
    if ('rule' in tree) continue;
    const commands = commandsOf(tree);
    // `.` runs a file in bash itself; the policy never lets it.
    if (commands.some(({ words }) => words[0]?.text === '.')) continue;
    // Where a file is named by what a command prints, nobody can foretell it.
    if (targetsOf(tree, work).some((target) => target.includes(outputMark))) continue;
    writeFileSync(join(list, String(predictions.length)), text);
    predictions.push({
      programs: commands.map((one) => wordsOf(one, work)),
      files: new Set(targetsOf(tree, work)),
    });
  }
  return { predictions, generated };
}

function runAll({ bin, work, log, list }: Place, count: number): void {
  const script = `cd ${work} && for ((i = 0; i < ${count}; i++)); do text=$(/bin/cat ${list}/$i; echo .); text=\${text%.}; FLAME_LOG=${log}/$i /usr/bin/timeout 5 /bin/bash --norc --noprofile -c "$text" </dev/null >/dev/null 2>&1; /usr/bin/find . -mindepth 1 -printf '%P\\0' > ${log}/$i.made; /usr/bin/find . -mindepth 1 -delete; done`;
  const cell = '--unshare-user --unshare-pid --unshare-net --unshare-ipc --die-with-parent --cap-drop ALL';
  const places = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--bind', work, work];
  const environment = ['--clearenv', '--setenv', 'PATH', bin, '--setenv', 'HOME', work];
  const argv = [...cell.split(' '), ...places, '--bind', log, log, ...environment];
  const run = spawnSync('bwrap', [...argv, '--setenv', 'LC_ALL', 'C.UTF-8', '/bin/bash', '-c', script], {
    encoding: 'utf8',
  });
  if (run.status === null || run.error !== undefined)
    throw new Error(`bwrap did not run: ${run.error?.message ?? run.stderr}`);
}

function compare(
  { log, list }: Place,
  predictions: readonly Prediction[],
): Pick<Comparison, 'ran' | 'started' | 'made' | 'mismatches'> {
  let started = 0;
  let made = 0;
  const ran = new Set<number>();
  const mismatches: string[] = [];
  for (const name of readdirSync(log).filter((one) => !one.endsWith('.part'))) {
    const at = Number(name.split('.')[0]);
    const words = readFileSync(join(log, name), 'utf8').split('\0').slice(0, -1);
    const { programs = [], files } = predictions[at] ?? {};
    const tell = (what: string): void => {
      mismatches.push(`${JSON.stringify(readFileSync(join(list, String(at)), 'utf8'))}\n  ${what}`);
    };
    if (name.endsWith('.made')) {
      made += words.length;
      const hidden = words.find((one) => files?.has(one) !== true);
      if (hidden !== undefined) tell(`bash made the file ${JSON.stringify(hidden)}`);
      continue;
    }
    started += 1;
    ran.add(at);
    if (!programs.some((one) => isSame(one, words)))
      tell(`bash ran ${JSON.stringify(words)}\n  predicted ${JSON.stringify(programs)}`);
  }
  return { ran: ran.size, started, made, mismatches };
}

/** What a command prints is known to nobody. */
function isSame([first, ...foretold]: readonly string[], words: readonly string[]): boolean {
  if (first === undefined) return words.length === 0;
  if (first === anyWords)
    return words.some((_, at) => isSame(foretold, words.slice(at))) || isSame(foretold, []);
  return words.length > 0 && (first === anything || first === words[0]) && isSame(foretold, words.slice(1));
}

function commandsOf(node: BashNode): readonly SimpleCommand[] {
  if (node.kind === 'command') return [node, ...node.inner.flatMap(commandsOf)];
  if (node.kind === 'test') return node.inner.flatMap(commandsOf);
  if (node.kind === 'if') return node.parts.flatMap(commandsOf);
  if (node.kind === 'for') return [...node.given, ...node.bodies].flatMap(commandsOf);
  if (node.kind === 'names') return [];
  if (node.kind === 'number') return node.runs.flatMap(commandsOf);
  if (node.kind === 'while')
    return [...(node.from === null ? [] : [node.from]), node.body].flatMap(commandsOf);
  return 'body' in node ? commandsOf(node.body) : node.nodes.flatMap(commandsOf);
}

/** The files in the folder that output may go to. */
function targetsOf(node: BashNode, work: string): readonly string[] {
  const own = 'redirections' in node ? node.redirections.filter(({ access }) => access === 'write') : [];
  const below = (): readonly BashNode[] => {
    if (node.kind === 'command') return node.inner;
    if (node.kind === 'test') return node.inner;
    if (node.kind === 'if') return node.parts;
    if (node.kind === 'for') return [...node.given, ...node.bodies];
    if (node.kind === 'names') return [];
    if (node.kind === 'number') return node.runs;
    if (node.kind === 'while') return [...(node.from === null ? [] : [node.from]), node.body];
    return 'body' in node ? [node.body] : node.nodes;
  };
  const places = own.map(({ target }) =>
    relative(work, resolve(work, target.replaceAll(currentFolder, work))),
  );
  return [...places, ...below().flatMap((one) => targetsOf(one, work))];
}

/** The folder is empty at every start, so a wildcard stays as it is unless the command makes a file itself. */
function wordsOf(command: SimpleCommand, work: string): string[] {
  return command.words.flatMap((word) => {
    const text = word.text.replaceAll(currentFolder, work);
    const names = word.isGlob ? (expandGlob(text, work, realFacts) ?? []) : [];
    if (word.fed !== undefined) return [anything];
    return names.length > 0 ? names : [word.unknown === 'output' ? unknownOf(word) : text];
  });
}

function unknownOf({ isSplit }: Word): string {
  return isSplit === true ? anyWords : anything;
}
