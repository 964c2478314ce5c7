import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestRepo } from './repo.ts';

/** What GitHub would say; the shapes are those its REST API and `gh --json` document. */
export interface GitHub {
  state?: 'OPEN' | 'CLOSED' | 'MERGED';
  /** Absent: where the branch is on the remote. */
  head?: string;
  checks?: readonly unknown[];
  lines?: readonly unknown[];
  reviews?: readonly unknown[];
  talk?: readonly unknown[];
  issue?: unknown;
  /** Of failed jobs, by their number: a line is names of job and step, a time, and the text. */
  logs?: Readonly<Record<string, string>>;
  /** A pull request of the branch is there, opened by nobody who says so here. */
  isThere?: boolean;
  /** The one that was opened is merged, so that another one can be. */
  mergedOnce?: boolean;
  /** Of single pull requests, by their number: 7, 8, … as they were opened. */
  of?: Readonly<Record<number, Omit<GitHub, 'of'>>>;
  /** Items a page has, as it is printed by older versions: a list after the other. */
  pageSize?: number;
  /** Ends with this instead of an answer, for calls with these words. */
  fails?: { readonly at: string; readonly code: number; readonly said: string; readonly prints?: string };
}

export interface FakeGh {
  readonly env: Readonly<Record<string, string>>;
  set(answers: GitHub): void;
  /** Each call as its words. */
  calls(): readonly (readonly string[])[];
}

export const pullRequest = 'https://github.example/lea/sample/pull/7';

/** A gh on PATH that answers as told, and a remote of our own to push to. */
export function makeFakeGh(repo: TestRepo): FakeGh {
  const bin = join(repo.path, '.git', 'fake-bin');
  mkdirSync(bin);
  const [file, log] = [join(bin, 'answers.json'), join(bin, 'calls')];
  const remote = join(repo.path, '.git', 'remote.git');
  writeFileSync(file, '{}');
  writeFileSync(join(bin, 'gh.mjs'), script(file, log, remote));
  writeFileSync(join(bin, 'gh'), `#!/bin/sh\nexec '${process.execPath}' '${join(bin, 'gh.mjs')}' "$@"\n`);
  chmodSync(join(bin, 'gh'), 0o755);
  repo.git('init', '-q', '--bare', remote);
  repo.git('remote', 'add', 'origin', remote);
  return {
    env: { PATH: `${bin}:${repo.env.PATH}` },
    set: (answers) => writeFileSync(file, JSON.stringify(answers)),
    calls: () =>
      existsSync(log)
        ? readFileSync(log, 'utf8')
            .trim()
            .split('\n')
            .map((line): string[] => JSON.parse(line))
        : [],
  };
}

function script(file: string, log: string, remote: string): string {
  return `
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
const words = process.argv.slice(2);
appendFileSync(${JSON.stringify(log)}, JSON.stringify(words) + '\\n');
const line = words.join(' ');
const opened = ${JSON.stringify(`${log}-opened`)};
const known = existsSync(opened) ? JSON.parse(readFileSync(opened, 'utf8')) : {};
const asked = /\\/(?:pull|pulls|issues)\\/(\\d+)(?:\\/|\\s|$)/.exec(line)?.[1];
const branchOf = (number) => Object.keys(known).findLast((one) => known[one] === Number(number));
const all = JSON.parse(readFileSync(${JSON.stringify(file)}, 'utf8'));
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
const [noun, verb] = words;
const urlOf = (number) => 'https://github.example/lea/sample/pull/' + number;
const isThere = (branch) => answers.isThere === true || branch in known;
const url = urlOf(asked ?? known[words[2]] ?? 7);
if (noun === 'pr' && verb === 'create') {
  const branch = words[words.indexOf('--head') + 1];
  const state = ((all.of ?? {})[known[branch]] ?? answers).state;
  if (isThere(branch) && answers.mergedOnce !== true && state !== 'MERGED') {
    console.error('a pull request for branch "' + branch + '" into branch "main" already exists:\\n' + urlOf(known[branch] ?? 7));
    process.exit(1);
  }
  console.error('\\nCreating pull request for ' + branch + ' into main in https://github.example/lea/sample\\n');
  const number = answers.mergedOnce === true ? (known[branch] ?? 7) : 7 + (known['#'] ?? 0);
  writeFileSync(opened, JSON.stringify({ ...known, '#': (known['#'] ?? 0) + 1, [branch]: number }));
  console.log(urlOf(number));
} else if (noun === 'pr' && verb === 'edit') console.log(url);
else if (noun === 'pr' && verb === 'view' && !words[2].startsWith('https:')) {
  if (!isThere(words[2])) {
    console.error('no pull requests found for branch "' + words[2] + '"');
    process.exit(1);
  }
  say({ url, state: answers.state ?? 'OPEN' });
} else if (noun === 'pr' && verb === 'view') {
  const refs = execFileSync('git', ['--git-dir', ${JSON.stringify(remote)}, 'for-each-ref', '--format=%(objectname)', 'refs/heads/' + (branchOf(asked) ?? 'flame')]).toString();
  say({ state: answers.state ?? 'OPEN', headRefOid: answers.head ?? refs.trim().split('\\n')[0], statusCheckRollup: answers.checks ?? [] });
} else if (noun === 'run' && verb === 'view') process.stdout.write((answers.logs ?? {})[words[3]] ?? '');
else if (noun === 'issue') say(answers.issue);
else if (line.includes('/pulls/' + asked + '/comments')) pages(answers.lines);
else if (line.includes('/pulls/' + asked + '/reviews')) pages(answers.reviews);
else if (line.includes('/issues/' + asked + '/comments')) pages(answers.talk);
else { console.error('unknown command ' + line); process.exit(1); }
`;
}

let next = 1000;

/** A comment on a line, as `GET /repos/{owner}/{repo}/pulls/{number}/comments` has it. */
export function lineComment(changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  next += 1;
  return {
    id: next,
    pull_request_review_id: 42,
    path: 'src/one.txt',
    position: 1,
    original_position: 1,
    line: 1,
    original_line: 1,
    side: 'RIGHT',
    commit_id: '6dcb09b5b57875f334f61aebed695e2e4193db5e',
    diff_hunk: '@@ -0,0 +1 @@\n+attempt 1',
    user: { login: 'octocat', type: 'User' },
    body: 'Say it louder.',
    author_association: 'MEMBER',
    subject_type: 'line',
    created_at: '2026-11-20T10:00:00Z',
    ...changes,
  };
}
