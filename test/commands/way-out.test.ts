import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startRegistry } from '../cell/egress/registries.ts';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame } from '../support/flame.ts';
import type { TestRepo } from '../support/repo.ts';

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
  assert.match(text, 'It looked for a host, and cells reach none.');
  assert.match(text, 'sandbox: { egress: { setup: [npm] } }');
});

test('EGR-1 an agent reaches what sandbox.egress.work names and nothing else; both stand in its log', async () => {
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
      lines
        .map((line) => JSON.parse(line))
        .map(({ phase, target, refused }) => [phase, target, refused !== null]),
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
