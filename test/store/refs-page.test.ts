import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseObjectId } from '../../lib/domain/ids.ts';
import {
  blackboardNoteKind,
  memoryNoteKind,
  type NoteKind,
  reviewNoteKind,
  sessionNoteKind,
  signatureNoteKind,
  taskNoteKind,
  validationNoteKind,
} from '../../lib/store/notes/note-kinds.ts';
import { listKnownNoteKeys } from '../../lib/store/notes/render-note.ts';
import { makeRepo } from '../support/repo.ts';
import {
  closeTestStores,
  createTasks,
  openTestStore,
  sampleReview,
  sampleSession,
  sampleSessionId,
  sampleTask,
  sampleVerdict,
  setStatus,
} from './sample.ts';

const page = readFileSync('REFS.md', 'utf8');

for (const [title, kind] of [
  ['Task', taskNoteKind],
  ['Session', sessionNoteKind],
  ['Verdicts', validationNoteKind],
  ['Review', reviewNoteKind],
  ['Notes for later tasks', blackboardNoteKind],
  ['Memory', memoryNoteKind],
  ['Signatures', signatureNoteKind],
] as const) {
  test(`REFS.md lists the keys of "${title}" in the order they are written`, () => {
    const section = page.split(`\n### ${title}\n`)[1]?.split('\n#')[0] ?? '';
    const rows = [...section.matchAll(/^\| ([^|]+) \|/gm)].slice(1).map(([, cell = '']) => cell);
    const keys = rows.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, key]) => key));
    assert.equal(keys, listKnownNoteKeys(kind as NoteKind<unknown>));
    assert.ok(page.includes(`\`${kind.ref}\``));
  });
}

test('UNI-1 the commands of REFS.md read the state as the tool does', async () => {
  const repo = makeRepo();
  const commit = parseObjectId(repo.git('rev-parse', 'HEAD'));
  const store = await openTestStore(repo);
  await createTasks(store, [sampleTask('task-001'), sampleTask('task-002')]);
  await setStatus(store, 'task-001', 'claimed');
  await store.transact(() => ({
    actor: 'a',
    changes: [
      { subject: 's', session: sampleSession() },
      { subject: 'v', verdict: sampleVerdict(commit) },
      { subject: 'r', review: { commit, note: sampleReview(commit) } },
    ],
  }));
  const tasks = (await store.snapshot()).tasksOf(sampleSessionId);
  await store.close();
  const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
  const [read = '', notes = '', anchor = ''] = blocks;
  const repair = blocks.find((text) => text.includes('git reflog show')) ?? '';
  const run = (script: string): string =>
    execFileSync('sh', ['-euc', script], {
      cwd: repo.path,
      env: { ...repo.env, session: sampleSessionId, archived: sampleSessionId, task: 'task-001', commit },
      encoding: 'utf8',
    });
  const output = run(read);
  assert.match(output, /^task-001 claimed\ntask-002 pending$/m);
  assert.match(output, /task-001: pending -> claimed {2}\(worker-1a2b3c4d\)/);
  assert.ok(output.includes(JSON.stringify(tasks[0], null, 2)));
  assert.match(output, /"objective": "Add a greeting"/);
  assert.match(output, /"verdicts": \[/);
  assert.match(output, /"decision": "approved"/);
  assert.match(run(notes), /"verdicts": \[/);
  assert.is(repo.git('for-each-ref', 'refs/notes'), '');
  const key = repo.git('rev-parse', `refs/blueflame/tasks:anchors/${sampleSessionId}/task-001`);
  assert.is(run(anchor).trim(), key);
  run(repair);
  assert.match(run(read), /^task-001 pending\ntask-002 pending$/m);
  const again = await openTestStore(repo);
  await again.moveToArchive(() => [sampleSessionId], 'a');
  const old = run(blocks.find((text) => text.includes('refs/blueflame/archive/tasks')) ?? '');
  assert.match(old, new RegExp(`^${sampleSessionId}\n`));
  assert.match(old, /"objective": "Add a greeting"/);
  assert.match(old, /"status": "pending"/);
});

test.after(closeTestStores);
test.run();
