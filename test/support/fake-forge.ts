import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { forgePort } from './forge-server.ts';
import { makeTempDir, type TestRepo } from './repo.ts';

/** What any host would say. */
export interface HostAnswers {
  /** Absent: where the branch is on the remote. */
  readonly head?: string;
  readonly issue?: unknown;
  /** A request of the branch is there, opened by nobody who says so here. */
  readonly isThere?: boolean;
  /** Items a page has: a list after the other is printed. */
  readonly pageSize?: number;
  /** Ends with this instead of an answer, for calls with these words. */
  readonly fails?: {
    readonly at: string;
    readonly code: number;
    readonly said: string;
    readonly prints?: string;
  };
}

export interface FakeForge<Answers> {
  readonly env: Readonly<Record<string, string>>;
  set(answers: Answers): void;
  /** Each call as its words. */
  calls(): readonly (readonly string[])[];
}

interface Program {
  readonly name: 'gh' | 'glab';
  /** A pattern whose first group is the number of the request that a call is about. */
  readonly asks: RegExp;
  /** A request's address but for its number. */
  readonly address: string;
  /** JavaScript: what answers a call, with what stands in `begin` at hand. */
  readonly answer: string;
  /** Answered unless a test says otherwise. */
  readonly usual?: unknown;
}

/** A PATH by which the same programs are found, but no gh and no glab that this machine has. */
export function withoutForges(searchPath: string): string {
  const forges = ['gh', 'glab'];
  const folders = searchPath.split(delimiter).map((folder) => {
    if (forges.every((name) => !existsSync(join(folder, name)))) return folder;
    const others = makeTempDir('bin');
    for (const name of readdirSync(folder).filter((one) => !forges.includes(one)))
      symlinkSync(join(folder, name), join(others, name));
    return others;
  });
  return folders.join(delimiter);
}

/** A program of a host on PATH that answers as told, and a remote of our own to push to; in a copy, those it has. */
export function makeFakeForge<Answers>(repo: TestRepo, program: Program): FakeForge<Answers> {
  const bin = join(repo.path, '.git', 'fake-bin');
  const [file, log] = [join(bin, 'answers.json'), join(bin, 'calls')];
  if (!existsSync(bin)) install(repo, program, bin);
  return {
    env: { PATH: `${bin}:${withoutForges(repo.env.PATH ?? '')}` },
    set: (answers) => writeFileSync(file, JSON.stringify({ ...(program.usual ?? {}), ...answers })),
    calls: () =>
      existsSync(log)
        ? readFileSync(log, 'utf8')
            .trim()
            .split('\n')
            .map((line): string[] => JSON.parse(line))
        : [],
  };
}

function install(repo: TestRepo, program: Program, bin: string): void {
  mkdirSync(bin);
  writeFileSync(join(bin, 'answers.json'), '{}');
  writeFileSync(join(bin, 'forge.cjs'), forgeModule(program));
  // A node of its own for each call would be most of what a test costs.
  const client = `#!/bin/bash
exec 3<>/dev/tcp/127.0.0.1/${forgePort()}
printf '%s\\0' $# "\${0%/*}" "$@" >&3
IFS= read -r -d '' code <&3
IFS= read -r -d '' said <&3
printf %s "$said" >&2
cat <&3
exit "\${code:-70}"
`;
  writeFileSync(join(bin, program.name), client, { mode: 0o755 });
  const remote = join(repo.path, '.git', 'remote.git');
  repo.git('init', '-q', '--bare', remote);
  repo.git('remote', 'add', 'origin', remote);
}

/**
 * `words`: the call's; `known`: number of the request of each branch; `all`, `answers`: what is to be said, of all and of the
 * request asked about; `say`, `pages`: print JSON, a list page by page. `console` and `process` are those of the call.
 */
function forgeModule({ asks, address, answer }: Program): string {
  return `
const { execFileSync } = require('node:child_process');
const { appendFileSync, existsSync, readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
module.exports = (words, console, process) => {
const log = join(__dirname, 'calls');
appendFileSync(log, JSON.stringify(words) + '\\n');
const [noun, verb] = words;
const line = words.join(' ');
const opened = log + '-opened';
const known = existsSync(opened) ? JSON.parse(readFileSync(opened, 'utf8')) : {};
const asked = ${asks}.exec(line)?.[1];
const all = JSON.parse(readFileSync(join(__dirname, 'answers.json'), 'utf8'));
const answers = { ...all, ...(all.of ?? {})[asked ?? known[words[2]]] };
if (answers.fails && line.includes(answers.fails.at)) {
  process.stdout.write(answers.fails.prints ?? '');
  process.stderr.write(answers.fails.said + '\\n');
  process.exit(answers.fails.code);
}
const say = (value) => process.stdout.write(JSON.stringify(value) + '\\n');
const pages = (list = []) => {
  const size = answers.pageSize ?? 100;
  for (let at = 0; at === 0 || at < list.length; at += size) say(list.slice(at, at + size));
};
const refuse = (said) => { console.error(said); process.exit(1); };
const urlOf = (number) => ${JSON.stringify(address)} + number;
const isThere = (branch) => answers.isThere === true || branch in known;
const number = Number(asked ?? known[words[2]] ?? 7);
const url = urlOf(number);
const branch = Object.keys(known).findLast((one) => known[one] === number) ?? 'flame';
const remote = join(__dirname, '..', 'remote.git');
const head = () => answers.head ?? execFileSync('git', ['--git-dir', remote, 'for-each-ref', '--format=%(objectname)', 'refs/heads/' + branch]).toString().trim().split('\\n')[0];
const open = (branch, number = 7 + (known['#'] ?? 0)) => {
  writeFileSync(opened, JSON.stringify({ ...known, '#': (known['#'] ?? 0) + 1, [branch]: number }));
  return number;
};
${answer}
};
`;
}
