import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startRegistry } from '../cell/egress/registries.ts';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame, flameJson } from '../support/flame.ts';
import type { TestRepo } from '../support/repo.ts';
import { hasBubblewrap, testIf } from '../support/skip.ts';

const ask = (host: string): string =>
  `node -e "fetch('http://${host}/x').then(r => r.text()).then(console.log, e => { console.error(String(e.cause)); process.exit(1) })"`;

function run(repo: TestRepo, script: string): ReturnType<typeof flame> {
  const plan = writePlan(repo, [{ id: 'task-001', script, locks: ['src/one.txt'] }]);
  const decisions = writeDecisions(repo, {
    ...{ plan: ['approve'], validation: [], changesets: ['approve'], session: ['stop'] },
  });
  return flame(repo, ['run', 'One', '--from', plan, '--decisions-file', decisions]);
}

test('EGR-1 a setup that looks for a host where cells reach none is told the key that would allow it', async () => {
  const project = { name: 'sample', base_branch: 'main', setup: [ask('registry.test')] };
  const { stderr } = await run(makeExecProject({ config: { project } }), 'echo 1 > src/one.txt');
  const text = stderr.replace(/\s+/g, ' ');
  assert.match(text, 'It tried to reach a host, but cells have no network.', text);
  assert.match(text, 'sandbox: { egress: { setup: [HOST] } }, or npm, pypi, crates, go or from-config', text);
});

test('EGR-1 a setup that fails where work begins is said once, before any task is claimed, with the key of its registry', async () => {
  const project = { name: 'sample', base_branch: 'main' };
  const validation = { validator_diagnostics: { enabled: true, commands: ['test -e ready'] } };
  const config = (setup: readonly string[], egress: unknown) => ({
    ...{ project: { ...project, setup, copy: ['ready'] }, validation, sandbox: { egress } },
  });
  const repo = makeExecProject({ config: config(['seq -s, 2000; echo pip: EAI_AGAIN; test -e ready'], {}) });
  const stopped = await run(repo, 'echo 1 > src/one.txt');
  assert.is(stopped.code, 1, stopped.stderr);
  const text = stopped.stderr.replace(/\s+/g, ' ');
  assert.match(
    text,
    /No agent was started: no worktree of main can be prepared\. The setup command .* ended with 1\. It tried to reach a host, but cells have no network\./,
  );
  assert.match(text, 'sandbox: { egress: { setup: [pypi] } }, or from-config', text);
  assert.not.match(text, /validator_diagnostics|claimed/);
  const status = async () => (await flameJson(repo, ['status'])).lines[0]?.tasks as readonly { status: string }[];
  assert.equal(
    (await status()).map(({ status }) => status),
    ['pending'],
  );
  // What failed for a moment is tried again.
  repo.write('ready', '');
  const again = await flame(repo, ['work']);
  assert.is(again.code, 0, again.stderr);
});

test('EGR-2 where a check fails for want of what a lock file names, what brings it is said first', async () => {
  const validation = { validator_diagnostics: { enabled: true, commands: ['node_modules/.bin/tool'] } };
  const repo = makeExecProject({ config: { validation } });
  repo.write('package-lock.json', '{}');
  repo.commit('A lock file');
  const { stderr } = await run(repo, 'echo 1 > src/one.txt');
  assert.match(
    stderr,
    /start without the dependencies that package-lock\.json names\. To install them, in \.blueflame\.yml: project: \{ setup: \[npm ci\] \} and sandbox: \{ egress: \{ setup: \[npm\] \} \}/,
  );
});

testIf(
  test,
  hasBubblewrap() && spawnSync('curl', ['--version']).status === 0,
  'bubblewrap or curl is missing',
)('EGR-1 an agent reaches what sandbox.egress.work names and nothing else; both stand in its log', async () => {
  const registry = await startRegistry(() => 'said by the host');
  try {
    const port = new URL(registry.url).port;
    const host = `localhost:${port}`;
    const repo = makeExecProject({ config: { sandbox: { egress: { work: [host], private: [host] } } } });
    // The name is one of this machine: only the proxy looks for it outside the cell.
    const script = [
      `curl -sS --noproxy '' http://${host}/x > src/one.txt`,
      `curl -sS --noproxy '' http://localhost:1/x >> src/one.txt`,
      `curl -sS --noproxy '*' http://${host}/direct >> src/one.txt || echo closed >> src/one.txt`,
    ].join('\n');
    const ended = await run(repo, script);
    assert.is(ended.code, 0, ended.stderr);
    const text = repo.git('show', 'main:src/one.txt');
    assert.match(text, /said by the host/);
    assert.match(text, /git-flame: localhost:1 is not in sandbox\.egress\.work of \.blueflame\.yml/);
    assert.match(text, /closed/);
    assert.equal(
      registry.asked.map(({ path }) => path),
      ['/x'],
    );
    const logs = join(repo.path, '.git/blueflame/logs');
    const files = readdirSync(logs).filter((name) => name.endsWith('.egress.jsonl'));
    const lines = files.flatMap((name) => readFileSync(join(logs, name), 'utf8').trim().split('\n'));
    assert.equal(
      lines.map((line) => JSON.parse(line)).map(({ phase, target, refused }) => [phase, target, refused !== null]),
      [
        ['work', `${host}/x`, false],
        ['work', 'localhost:1/x', true],
      ],
    );
  } finally {
    registry.close();
  }
});

test.run();
