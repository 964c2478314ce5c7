import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ClaudeProject, closeProjects, openClaudeProject, tasksOf } from '../support/claude-project.ts';
import { writeDecisions, writePlan } from '../support/exec-project.ts';
import { lineComment, makeFakeGh } from '../support/fake-gh.ts';
import { makeFakeGlab, thread } from '../support/fake-glab.ts';
import { enterNetworkNamespace, findClaude } from '../support/model-namespace.ts';
import { roleScript } from '../support/model-roles.ts';
import type { Reply } from '../support/model-server.ts';
import { testIf } from '../support/skip.ts';

// The second round of a request with the real client: its worker changes the file by what was said there.

const claude = findClaude();
const place = claude === null ? 'none' : enterNetworkNamespace();
const path = 'src/greet.txt';

/** What the first round came to, then what the remark and the log of the check ask for, as far as the worker is told. */
function worker({ prompt }: { readonly prompt: string }): readonly Reply[] {
  const wanted = /expected greeting (\w+)/.exec(prompt)?.[1] ?? 'hello';
  const isLoud = prompt.includes('Say it louder.');
  const message = isLoud ? 'Greet louder' : 'Greet';
  return [
    { tool: 'Read', input: { file_path: path } },
    { tool: 'Write', input: { file_path: path, content: `${wanted}${isLoud ? '!' : ''}\n` } },
    {
      tool: 'Bash',
      input: { command: `git add ${path} && git commit -q -m '${message}'`, description: 'commit' },
    },
    { text: 'It is done.' },
  ];
}

const log = 'not ok 1 - expected greeting HELLO\nexit code 1\n';

/** Each host: its stand-in with what is said there once the first round is pushed. */
const hosts = {
  gh: (project: ClaudeProject) => {
    const gh = makeFakeGh(project.repo);
    const detailsUrl = 'https://github.example/lea/sample/actions/runs/5/job/61';
    const checks = [{ __typename: 'CheckRun', name: 'test', conclusion: 'FAILURE', detailsUrl }];
    const told = {
      lines: [lineComment({ id: 11, path, body: 'Say it louder.' })],
      checks,
      logs: { 61: log },
    };
    return { env: gh.env, say: () => gh.set(told), pass: () => gh.set({ ...told, checks: [] }) };
  },
  glab: (project: ClaudeProject) => {
    const glab = makeFakeGlab(project.repo);
    const job = {
      id: 61,
      name: 'test',
      status: 'failed',
      allow_failure: false,
      web_url: 'https://gitlab.example/61',
    };
    const remark = thread({ id: 11, body: 'Say it louder.' }, { new_path: path, old_path: path, new_line: 1 });
    const told = {
      threads: [remark],
      pipeline: { id: 5, project_id: 3, status: 'failed' },
      jobs: [job],
      traces: { 61: log },
    };
    return { env: glab.env, say: () => glab.set(told), pass: () => glab.set({ ...told, jobs: [] }) };
  },
};

if (place !== 'outside') {
  const live = testIf(test, place === 'inside', 'claude-request-rounds: needs Claude Code and a network namespace');
  test.after(closeProjects);

  for (const forge of ['gh', 'glab'] as const)
    live(
      `RND-2 by ${forge} the second round's worker changes what the remark and the failed check ask for, and nothing else is pushed`,
      async () => {
        const project = await openClaudeProject({
          config: {
            project: { name: 'sample', base_branch: 'main', landing: 'branch' },
            roles: { validator: { adapter: 'none' } },
            pull_requests: { forge },
          },
          script: roleScript({ worker }),
        });
        const { repo } = project;
        repo.write(path, 'nothing\n');
        repo.commit('A file');
        const { env, say: print, pass } = hosts[forge](project);
        repo.git('push', '-q', 'origin', 'main');
        const [bin = ''] = (env.PATH ?? '').split(':');
        Object.assign(project.env, { PATH: `${bin}:${project.env.PATH}` });
        const run = (argv: readonly string[], decisions: Parameters<typeof writeDecisions>[1]) =>
          project.flame(...argv, '--decisions-file', writeDecisions(repo, decisions));
        const plan = writePlan(repo, [{ id: 'greet', script: 'Greet in the file.', locks: [path] }]);
        const first = await run(['run', 'Greet', '--from', plan, '--pr'], {
          plan: ['approve'],
          changesets: ['approve'],
        });
        assert.is(first.code, 0, first.stdout + first.stderr);
        const there = (...words: readonly string[]): string => repo.git('--git-dir=.git/remote.git', ...words);
        const branch = there('for-each-ref', '--format=%(refname:short)', 'refs/heads/flame');
        assert.is(there('show', `${branch}:${path}`), 'hello');
        print();
        const second = await run(['run', '--pr'], { session: ['continue'], changesets: ['approve'] });
        assert.is(second.code, 0, second.stdout + second.stderr);
        assert.is(there('show', `${branch}:${path}`), 'HELLO!');
        pass();
        const over = await run(['run', '--pr'], {});
        assert.is(over.code, 0, over.stdout + over.stderr);
        assertOnlyApproved(
          project,
          tasksOf(second).map(({ id }) => id),
          branch,
          there,
        );
      },
    );

  /** By stock git: the remote has the base, and on it what was approved, commit by commit. */
  function assertOnlyApproved(
    { repo }: ClaudeProject,
    tasks: readonly string[],
    branch: string,
    there: (...words: readonly string[]) => string,
  ): void {
    assert.equal(tasks, ['greet']);
    assert.equal(there('for-each-ref', '--format=%(refname:short)').split('\n').sort(), [branch, 'main'].sort());
    const landed = there('log', '--first-parent', '--format=%H', `main..${branch}`).split('\n');
    const note = (commit: string): string =>
      repo.git('-c', 'notes.displayRef=refs/blueflame/reviews', 'log', '-1', '--format=%N', commit);
    assert.is(landed.length, 2);
    for (const tip of landed) assert.match(note(tip), /"decision": "approved"/);
    assert.is(there('diff', '--name-only', 'main', branch), path);
    for (const tip of landed)
      assert.is(there('ls-tree', '-r', '--name-only', tip), there('ls-tree', '-r', '--name-only', 'main'));
    const all = there('log', '--all', '-p', '--format=%an%n%B');
    assert.not.match(all, /louder\.|octocat|expected greeting|attempt|\.trees/);
  }

  test.run();
}
