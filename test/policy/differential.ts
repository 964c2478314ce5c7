import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expandWord } from '../../lib/policy/bash/expand-word.ts';
import { parseScript } from '../../lib/policy/bash/parse-script.ts';
import { CommandRefusal, type ShellWord, unknownTextMarks } from '../../lib/policy/bash/shell-command-types.ts';
import { walkScript } from '../../lib/policy/bash/walk-script.ts';
import { makeTempDir } from '../support/repo.ts';
import { randomCommand, stubs } from './differential-text.ts';
import { makePolicy } from './fixtures.ts';
import { realFacts } from './real-facts.ts';

/** The words one word may become: several ways, each of some words; null: any words at all. */
type Foretold = readonly (readonly string[])[] | null;

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
  readonly programs: readonly (readonly Foretold[])[];
  /** The files it may make; null: one that can't be foretold. */
  readonly files: readonly (string | null)[];
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
    const prediction = foretell(text, work);
    if (prediction === null || prediction.files.includes(null)) continue;
    writeFileSync(join(list, String(predictions.length)), text);
    predictions.push(prediction);
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
      const hidden = words.find((one) => files?.includes(one) !== true);
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

function isSame([first, ...others]: readonly Foretold[], words: readonly string[]): boolean {
  if (first === undefined) return words.length === 0;
  const ways = first ?? words.map((_, at) => words.slice(0, at + 1)).concat([[]]);
  return ways.some(
    (way) => way.every((text, at) => isText(text, words[at])) && isSame(others, words.slice(way.length)),
  );
}

/** What a command prints is not known, nor where a home is. */
function isText(foretold: string, word: string | undefined): boolean {
  const isOpen = unknownTextMarks.isIn(foretold) || /(?:^|[=:])~/.test(foretold);
  return word !== undefined && (isOpen || foretold === word);
}

/** What a command line may do by its reading; null: it is refused. */
function foretell(text: string, work: string): Prediction | null {
  const policy = makePolicy({
    worktree: work,
    config: { permissions: { bash_rules: { allowed_env: ['CI', 'x'] } } },
  });
  const context = { policy: { ...policy, base_commands: [] }, facts: realFacts };
  const programs: (readonly Foretold[])[] = [];
  const files: (string | null)[] = [];
  try {
    walkScript(parseScript(text), {
      ...context,
      cwd: work,
      visitor: {
        command: ({ words, redirections }, { cwd }) => {
          // `.` runs a file in bash itself; the policy never lets it.
          if (words[0]?.values.includes('.')) throw new CommandRefusal('bash-wrapper', '.');
          programs.push(words.map((word) => waysOf(word, cwd)));
          visitRedirections(redirections, cwd);
        },
        redirections: (all, { cwd }) => visitRedirections(all, cwd),
        files: () => undefined,
      },
    });
    return { programs, files };
  } catch (error) {
    if (error instanceof CommandRefusal) return null;
    throw error;
  }

  function visitRedirections(
    all: readonly { readonly access: string; readonly target: ShellWord }[],
    cwd: string,
  ): void {
    for (const { target } of all.filter(({ access }) => access === 'write'))
      for (const one of expandWord({ ...context, cwd }, target))
        files.push(unknownTextMarks.isIn(one) ? null : relative(work, resolve(cwd, one)));
  }

  function waysOf(word: ShellWord, cwd: string): Foretold {
    if (word.isSplit && word.values.some(unknownTextMarks.isIn)) return null;
    // The folder is empty at every start, so a wildcard stays as it is unless the command makes a file itself.
    return word.values.map((value) => expandWord({ ...context, cwd }, { ...word, values: [value] }));
  }
}
