import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, type ScriptTask, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame, flameJson } from '../support/flame.ts';
import { copyRepo, type TestRepo } from '../support/repo.ts';

const hostile = 'Greet @everyone, fixes #1 <b>now</b> `rm -rf`';
const tasks: readonly ScriptTask[] = [
  {
    id: 'task-001',
    script: 'mkdir -p src && echo one > src/one.txt',
    locks: ['src/one.txt'],
    group: 'one',
    title: hostile,
  },
  { id: 'task-002', script: 'mkdir -p src && echo two > src/two.txt', locks: ['src/two.txt'], group: 'two' },
];

function project(settings: Readonly<Record<string, unknown>> = {}): TestRepo {
  return makeExecProject({
    config: {
      project: { name: 'sample', base_branch: 'main', landing: 'branch', ...settings },
      validation: { validator_diagnostics: { enabled: true, commands: ['test -d src'] } },
    },
  });
}

function run(
  repo: TestRepo,
  decisions: Readonly<Record<string, readonly unknown[]>>,
  argv: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): ReturnType<typeof flameJson> {
  const file = writeDecisions(repo, { plan: ['approve'], ...decisions });
  const plan = writePlan(repo, tasks);
  return flameJson(repo, ['run', 'Greet people', '--from', plan, '--decisions-file', file, ...argv], { env });
}

interface Landed {
  readonly repo: TestRepo;
  readonly base: string;
  readonly done: Awaited<ReturnType<typeof flameJson>>;
}

let landed: Promise<Landed> | undefined;

/** A session whose changesets landed on a branch; whoever asks looks at the same one. */
function landedOnce(): Promise<Landed> {
  landed ??= land();
  return landed;
}

async function land(): Promise<Landed> {
  const repo = project();
  const base = repo.git('rev-parse', 'main');
  return { repo, base, done: await run(repo, { changesets: ['approve', 'approve'] }) };
}

function requestIn({ lines }: Awaited<ReturnType<typeof flameJson>>): Record<string, unknown> {
  return lines.findLast((line) => line.event === 'pull-request') ?? {};
}

/** A gh on PATH that notes its arguments and answers; and a remote of our own. */
function withGh(repo: TestRepo, script: string): { readonly env: Record<string, string>; calls(): string } {
  const bin = join(repo.path, '.git', 'fake-bin');
  const log = join(bin, 'calls');
  mkdirSync(bin);
  // No request is open for the branch.
  const none = `[ "$2" = view ] && { echo 'no pull requests found' >&2; exit 1; }`;
  writeFileSync(join(bin, 'gh'), `#!/bin/sh\n${none}\nprintf '%s\\n' "$@" >> '${log}'\n${script}\n`);
  chmodSync(join(bin, 'gh'), 0o755);
  const remote = join(repo.path, '.git', 'remote.git');
  repo.git('init', '-q', '--bare', remote);
  repo.git('remote', 'add', 'origin', remote);
  return {
    env: { PATH: `${bin}:${repo.env.PATH}` },
    calls: () => (existsSync(log) ? readFileSync(log, 'utf8') : ''),
  };
}

test('MRG-10: approved work lands on a branch of its own, the base and its checkout stay', async () => {
  const { repo, base, done } = await landedOnce();
  assert.is(done.code, 0, done.stderr + done.stdout);
  assert.is(repo.git('rev-parse', 'main'), base);
  assert.not.ok(existsSync(join(repo.path, 'src/one.txt')));
  const session = (done.lines.at(-1)?.session ?? {}) as Record<string, unknown>;
  const branch = `flame/${session.id}`;
  assert.equal(session.landing, { branch, from: base, pull_request: null });
  assert.is(session.base_branch, 'main');
  assert.is(repo.git('show', `${branch}:src/one.txt`), 'one');
  assert.is(repo.git('show', `${branch}:src/two.txt`), 'two');
  assert.is(repo.git('merge-base', 'main', branch), base);
  assert.match(repo.git('log', '-1', branch), /Notes \(blueflame\/shown\)/);
  assert.equal(
    ((done.lines.at(-1)?.tasks ?? []) as readonly { status: string }[]).map(({ status }) => status),
    ['merged', 'merged'],
  );
  assert.match(
    repo.git('log', '--format=%s', 'refs/blueflame/tasks'),
    new RegExp(`task-001: done -> merged into ${branch}`),
  );
});

test('MRG-10: title and body are made from objective, tasks and verdicts, and mention or close nothing', async () => {
  const request = requestIn((await landedOnce()).done);
  assert.is(request.state, 'prepared');
  assert.is(request.title, 'Greet people');
  assert.is(request.base, 'main');
  const body = `${request.body}`;
  assert.is(readFileSync(`${request.body_file}`, 'utf8'), body);
  assert.match(body, /^### one$/m);
  assert.match(body, /^- \*\*task-002\*\* Do task-002$/m);
  assert.match(body, /^ {2}- pass by `diagnostics`: 1 diagnostic\w* passed\.$/m);
  assert.match(body, /^ {2}- `test -d src` passed$/m);
  assert.match(body, /^ {2}- evidence `sha256:[0-9a-f]{64}`$/m);
  assert.match(body, /approved by `Lea Lead <lea@example\.com>`/);
  assert.not.match(body, /@everyone|#1|<b>/);
  assert.ok(body.includes('Greet @<!-- -->everyone, fixes #<!-- -->1 \\<b\\>now\\</b\\> \\`rm -rf\\`'), body);
  const [push, create] = request.commands as readonly string[];
  assert.match(push ?? '', /^git push origin flame\/ses-/);
  assert.match(create ?? '', /^gh pr create --base main --head flame\/ses-\S+ --title 'Greet people' --body-file \S+$/);
});

test('MRG-10: the next cycle builds on the landing branch, also after the configuration changed', async () => {
  const repo = project();
  const first = await run(repo, { changesets: ['approve', { reject: 'say 2' }] });
  assert.is(first.code, 2, first.stdout);
  repo.write(
    '.blueflame.yml',
    readFileSync(join(repo.path, '.blueflame.yml'), 'utf8').replace('landing: branch', 'landing: base'),
  );
  const decisions = writeDecisions(repo, { session: ['continue'], changesets: ['approve'] });
  const second = await flameJson(repo, ['run', '--decisions-file', decisions]);
  assert.is(second.code, 0, second.stderr + second.stdout);
  const { landing } = (second.lines.at(-1)?.session ?? {}) as {
    landing?: { branch: string; from: string };
  };
  const { branch, from } = landing ?? { branch: '', from: '' };
  assert.is(repo.git('rev-parse', 'main'), from);
  assert.is(repo.git('show', `${branch}:src/two.txt`), 'two');
  assert.is(repo.git('rev-list', '--count', '--first-parent', `main..${branch}`), '2');
  const [start] = repo.git('rev-list', '--first-parent', `main..${branch}`).split('\n').slice(1);
  assert.is(repo.git('rev-parse', `${branch}^1`), start, 'the second landing stands on the first');
});

test('MRG-10: a branch of that name that is there already is not moved', async () => {
  const repo = project({ landing_branch: 'agents/done' });
  const before = repo.git('rev-parse', 'main');
  repo.git('branch', 'agents/done');
  const refused = await run(repo, { changesets: ['approve', 'approve'] });
  assert.is(refused.code, 1);
  assert.match(refused.stderr + refused.stdout, /landing-branch-exists|new branch agents\/done/);
  assert.is(repo.git('rev-parse', 'agents/done'), before);
  repo.git('branch', '-D', 'agents/done');
  const done = await flame(repo, ['run', '--decisions-file', writeDecisions(repo, {})]);
  assert.is(done.code, 0, done.stderr);
  assert.is(repo.git('show', 'agents/done:src/two.txt'), 'two');
});

test('a landing branch may not be named like a task branch', async () => {
  for (const name of ['blueflame/{session}', 'a..b', '{session}.lock']) {
    const run = await flame(project({ landing_branch: name }), ['status', '--json']);
    const config = await flame(project({ landing_branch: name }), ['config']);
    assert.is(config.code, 128, `${name}: ${run.stdout}`);
  }
});

test('MRG-10: --pr pushes the branch and opens the request with gh; again, it is updated', async () => {
  const repo = project();
  const gh = withGh(repo, 'echo https://example.com/lea/sample/pull/7');
  const done = await run(repo, { changesets: ['approve', 'approve'] }, ['--pr'], gh.env);
  assert.is(done.code, 0, done.stderr + done.stdout);
  const request = requestIn(done);
  assert.is(request.state, 'opened');
  assert.is(request.url, 'https://example.com/lea/sample/pull/7');
  const branch = `${request.branch}`;
  assert.is(repo.git('--git-dir=.git/remote.git', 'rev-parse', branch), repo.git('rev-parse', branch));
  assert.is(repo.git('--git-dir=.git/remote.git', 'for-each-ref', '--format=%(refname)'), `refs/heads/${branch}`);
  assert.equal(gh.calls().trim().split('\n'), [
    ...['pr', 'create', '--base', 'main', '--head', branch],
    ...['--title', 'Greet people', '--body-file', `${request.body_file}`],
  ]);
  const again = await flameJson(repo, ['review', '--pr'], { env: gh.env });
  assert.is(again.code, 0, again.stdout);
  assert.is(requestIn(again).state, 'updated');
  assert.is(gh.calls().match(/create/g)?.length, 1, 'one request is enough');
});

test('MRG-10: what gh or the push refuses is shown with the commands to do it by hand', async () => {
  const repo = project();
  const gh = withGh(repo, 'echo "no such repository" >&2; exit 4');
  const failed = await run(repo, { changesets: ['approve', 'approve'] }, ['--pr'], gh.env);
  assert.is(failed.code, 1);
  const notice = failed.lines.find((line) => `${line.message}`.includes('gh opened no pull request'));
  assert.equal(notice?.details, ['no such repository']);
  assert.is(repo.git('show', `${requestIn(failed).branch}:src/one.txt`), 'one', 'it has landed all the same');
  const text = await flame(repo, ['review', '--pr'], { env: gh.env });
  assert.is(text.code, 1);
  assert.match(text.stderr, /next: gh pr create --base main --head flame\//);
  repo.git('remote', 'set-url', 'origin', join(repo.path, 'nowhere.git'));
  const unpushed = await flame(repo, ['review', '--pr'], { env: gh.env });
  assert.is(unpushed.code, 1);
  assert.match(unpushed.stderr, /git push did not push/);
  assert.match(unpushed.stderr, /next: git push origin flame\//);
});

test('MRG-10: without gh it says what to type, without a remote how to add one', async () => {
  const repo = copyRepo((await landedOnce()).repo);
  const missing = await flame(repo, ['review', '--pr']);
  assert.is(missing.code, 128);
  assert.match(missing.stderr, /next: git remote add origin URL/);
  assert.match((await flame(repo, ['review'])).stderr, /next: gh pr create --base main/);
});

test('with landing on the base there is no request to open', async () => {
  const repo = project({ landing: 'base' });
  const done = await run(repo, { changesets: ['approve', 'approve'] }, ['--pr']);
  assert.is(done.code, 1);
  assert.is(repo.git('show', 'main:src/one.txt'), 'one');
  assert.ok(done.lines.some((line) => `${line.message}`.startsWith('There is no pull request to open')));
  assert.equal(requestIn(done), {});
});

test.run();
