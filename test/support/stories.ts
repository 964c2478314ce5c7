import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'uvu';
import { parse } from 'yaml';
import { packageRoot } from '../../lib/util/user-folders.ts';
import { execConfig, makeExecProject } from './exec-project.ts';
import { flame } from './flame.ts';
import { assertCommands } from './refusal.ts';
import type { TestRepo } from './repo.ts';
import { type Edit, editsBetween, matches } from './story-lines.ts';
import { makeNames, type Names } from './story-names.ts';

// A story tells in one file what a person sees: `-- path --` and the text of a file, `$ command`, and below it what
// comes out: `> ` on stdout, `2> ` on stderr, `...` for lines left out, `exit 1`. CONTRIBUTING.md says the rest.

/** Lines of a story as they stand there; a command has what is expected below it. */
type Block =
  | { readonly kind: 'prose'; readonly lines: readonly string[] }
  | { readonly kind: 'file'; readonly lines: readonly string[]; readonly path: string }
  | CommandBlock;

interface CommandBlock {
  readonly kind: 'command';
  readonly at: number;
  readonly command: string;
  readonly expected: readonly string[];
}

/** What may be typed beside git flame. */
const programs = new Set(
  'cat cd chmod cp echo git grep head ls ln mkdir mv printf rm sed sort test touch wc'.split(' '),
);

/** Registers a test for each story of a folder, named like its file; FLAME_STORY chooses those whose name holds it. */
export function testStories(folder: string): void {
  const path = join(packageRoot(), 'test', 'stories', folder);
  const all = readdirSync(path).sort();
  if (all.length === 0) throw new Error(`${path} holds no story.`);
  const wanted = process.env.FLAME_STORY ?? '';
  const chosen = all.filter((name) => name.includes(wanted));
  if (chosen.length === 0) test.skip(`No story in ${folder} is named "${wanted}".`);
  for (const name of chosen) {
    const file = join(path, name);
    test(name.replace(/\.txt$/, ''), async () => {
      const text = readFileSync(file, 'utf8');
      const isUpdating = process.env.FLAME_UPDATE === '1';
      const played = await playStory(text, { name: relative(packageRoot(), file), isUpdating });
      if (played !== text) writeFileSync(file, played);
    });
  }
}

/**
 * Plays a story in a repository of its own; resolves to its text with what came out. Rejects where that is something
 * else, unless it is updating, and where it is no story.
 */
export async function playStory(
  text: string,
  { name, isUpdating = false }: { readonly name: string; readonly isUpdating?: boolean },
): Promise<string> {
  const blocks = parseStory(text, name);
  const commands = blocks.filter((block) => block.kind === 'command');
  if (!isUpdating && !commands.some(({ expected }) => expected.some((line) => /^2?>/.test(line))))
    throw failure(`${name}: A story compares at least a line of what a command prints.`);
  const first = blocks.findIndex(({ kind }) => kind === 'command');
  const repo = makeBeginning(blocks.slice(0, first));
  const names = makeNames(repo);
  const played: string[] = [];
  for (const [at, block] of blocks.entries()) {
    if (block.kind !== 'command') {
      if (block.kind === 'file' && at > first) writeBlock(repo, block);
      played.push(...block.lines);
      continue;
    }
    const where = `${name}:${block.at}: $ ${block.command}`;
    const actual = await runLine(repo, names, block.command).catch((error: unknown) => {
      throw failure(`${where}\n${error}`);
    });
    const isSame = matches(block.expected, actual);
    const edits = isSame ? [] : editsBetween(block.expected, actual);
    if (!isSame && !isUpdating) throw failure(`${where}\n${renderEdits(edits)}`);
    const kept = edits.flatMap(([sign, line]) => (sign === '-' ? [] : [line]));
    played.push(`$ ${block.command}`, ...(isSame ? block.expected : kept));
  }
  return played.join('\n');
}

function parseStory(text: string, name: string): readonly Block[] {
  const lines = text.split('\n');
  if (lines[0]?.startsWith('# ') !== true) throw failure(`${name}:1: A story begins with "# " and what holds.`);
  const blocks: Block[] = [];
  const take = (at: number, isPart: (line: string) => boolean): readonly string[] => {
    const end = lines.findIndex((line, index) => index > at && !isPart(line));
    return lines.slice(at + 1, end < 0 ? lines.length : end);
  };
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? '';
    const path = /^-- (\S+) --$/.exec(line)?.[1];
    if (path !== undefined) {
      const body = take(at, (next) => !/^(?:-- \S+ --$|\$ )/.test(next));
      blocks.push({ kind: 'file', path, lines: [line, ...body] });
      at += 1 + body.length;
    } else if (line.startsWith('$ ')) {
      const expected = take(at, (next) => /^(?:2?>(?: |$)|\.\.\.$|exit \d+$)/.test(next));
      blocks.push({ kind: 'command', at: at + 1, command: line.slice(2), expected });
      at += 1 + expected.length;
    } else if (line === '' || line.startsWith('# ')) {
      blocks.push({ kind: 'prose', lines: [line] });
      at += 1;
    } else throw failure(`${name}:${at + 1}: This is no line of a story: ${line}`);
  }
  return blocks;
}

/** A project whose workers are scripts, one at a time, with the files before the first command; those beside it aren't committed. */
function makeBeginning(blocks: readonly Block[]): TestRepo {
  const files = blocks.filter((block) => block.kind === 'file');
  const config = files.find(({ path }) => path === configFile);
  const repo = makeExecProject({ config: keysOf(config === undefined ? '' : textOf(config)) });
  const others = files.filter((file) => file !== config);
  for (const file of others) writeBlock(repo, file);
  if (others.some(({ path }) => !path.startsWith('../'))) repo.commit('begin');
  return repo;
}

const configFile = '.blueflame.yml';

/** What two agents at once print has no order. */
function keysOf(config: string): Readonly<Record<string, unknown>> {
  return { concurrency: { development: 1, validation: 1 }, ...parse(config) };
}

function writeBlock(repo: TestRepo, file: Extract<Block, { readonly kind: 'file' }>): void {
  const text = textOf(file);
  repo.write(file.path, file.path === configFile ? execConfig(keysOf(text)) : text);
}

function textOf({ lines }: Block & { readonly kind: 'file' }): string {
  const text = lines.slice(1).join('\n').trimEnd();
  return text === '' ? '' : `${text}\n`;
}

/** The lines that come out of a command, and its exit code where that isn't 0. */
async function runLine(repo: TestRepo, names: Names, typed: string): Promise<readonly string[]> {
  const line = names.reveal(typed);
  const said: [mark: string, text: string][] = [];
  const print = (mark: string, text: string): void => {
    const last = said.at(-1);
    if (last?.[0] === mark) last[1] += text;
    else said.push([mark, text]);
  };
  const code = /^(?:[A-Z_]+=\S+ )*git flame(?: |$)/.test(line.replace(quoted, 'x'))
    ? await runFlame(repo, line, print)
    : runProgram(repo, line, print);
  const lines = said
    .flatMap(([mark, text]) =>
      text
        .replace(/\n$/, '')
        .split('\n')
        .map((one) => names.hide(`${mark}${one === '' ? '' : ` ${one}`}`)),
    )
    // Where no cell can be made, a story is told all the same.
    .filter((one) => !one.startsWith('2> warning: No sandbox: '))
    // A search for conflicts is reported only where it ends before its command.
    .filter((one) => !/^2> warning: task-\d+ and task-\d+ conflict in /.test(one));
  // A column of paths is as wide as the folder of this run has it.
  const isWide = lines.some((one) => /\[(?:repo|folder)\]\S* {2}/.test(one));
  const even = isWide ? lines.map((one) => one.replace(/(?<=[^\s>]) {2,}(?=\S)/g, '  ')) : lines;
  return code === 0 ? even : [...even, `exit ${code}`];
}

const quoted = /'([^']*)'|"([^"]*)"/g;

type Say = (mark: string, text: string) => void;

/** In this process, so without a shell: words, variables before them, and a file as standard input. */
async function runFlame(repo: TestRepo, line: string, print: Say): Promise<number> {
  const [, command = '', input] = /^(.*?)(?: < (\S+))?$/.exec(line) ?? [];
  const word = /(?:'[^']*'|"[^"$`\\]*"|[^\s'"|&;<>$`*?()\\])+/g;
  const rest = command.replace(word, '').trim();
  if (rest !== '') throw new Error(`git flame runs without a shell here, which ${rest} would need.`);
  const words = [...command.matchAll(word)].map(([one]) => one.replace(quoted, '$1$2'));
  const start = words.indexOf('flame');
  const { code, stderr } = await flame(repo, words.slice(start + 1), {
    env: Object.fromEntries(words.slice(0, start - 1).map((one) => one.split(/=(.*)/s, 2))),
    stdin: input === undefined ? '' : readFileSync(join(repo.path, input), 'utf8'),
    onOutput: (stream, text) => print(stream === 'stdout' ? '>' : '2>', text),
  });
  assertCommands(stderr);
  return code;
}

function runProgram(repo: TestRepo, line: string, print: Say): number {
  const parts = line.replace(quoted, 'x').split(/&&|\|\||[;|]/);
  for (const part of parts) {
    const [program = ''] = part.trim().split(' ');
    if (!programs.has(program)) throw new Error(`A story runs no ${program}.`);
  }
  const options = { cwd: repo.path, env: { ...repo.env, TZ: 'UTC0' }, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync('sh', ['-c', line], options);
  if (stdout !== '') print('>', stdout);
  if (stderr !== '') print('2>', stderr);
  return status ?? 1;
}

function renderEdits(edits: readonly Edit[]): string {
  return edits.map(([sign, line]) => `  ${sign} ${line}`).join('\n');
}

/** An error whose stack, which tells nothing, isn't printed. */
function failure(message: string): Error {
  const error = new Error(message);
  error.stack = '';
  return error;
}
