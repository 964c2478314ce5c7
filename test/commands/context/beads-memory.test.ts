import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openBeadsMemory } from '../../../lib/commands/memory/open-memory.ts';
import {
  emptyMemoryProvider,
  type MemoryEntry,
  type MemoryProvider,
  memoryEntrySchema,
} from '../../../lib/domain/state/memory.ts';
import { type BdMode, makeStandIn, makeWorkspace } from '../../support/bd.ts';
import { makeExecProject, writeDecisions, writePlan } from '../../support/exec-project.ts';
import { flame, flameJson, lookOnly } from '../../support/flame.ts';
import { makeRepo, type TestRepo } from '../../support/repo.ts';

interface Bd {
  readonly name: string;
  /** PATH that leads to it, and a repository with a workspace. */
  make(): { readonly repo: TestRepo; readonly path: string };
}

const standIn: Bd = {
  name: 'a stand-in',
  make: () => {
    const repo = makeRepo();
    makeWorkspace(repo.path);
    return { repo, path: `${makeStandIn().bin}:${process.env.PATH}` };
  },
};

const real: Bd = {
  name: 'the real program',
  make: () => {
    const repo = makeRepo();
    const words = [
      'init',
      '--prefix',
      'flame',
      '--non-interactive',
      '--quiet',
      '--skip-hooks',
      '--skip-agents',
      '--stealth',
    ];
    const made = spawnSync('bd', words, { cwd: repo.path, env: { ...repo.env, HOME: repo.path } });
    assert.is(made.status, 0, made.stderr.toString());
    return { repo, path: process.env.PATH ?? '' };
  },
};

const isThere = spawnSync('bd', ['version', '--json']).status === 0;
for (const bd of isThere ? [standIn, real] : [standIn])
  test(`MEM-1 with ${bd.name}: what is saved is told, once however often it is saved, and leaves nothing for git`, async () => {
    const { repo, path } = bd.make();
    const troubles: string[] = [];
    const memory = openBeadsMemory({
      place: { env: { ...repo.env, PATH: path, HOME: repo.path }, root: repo.path },
      notes: emptyMemoryProvider,
      onTrouble: (why) => troubles.push(why),
    });
    const before = repo.git('status', '--porcelain');
    const entries = [
      entry({ kind: 'result', notes: '-x "quoted" $(id)\nsecond line' }),
      entry({ kind: 'failure', task: 'task-002' }),
    ];
    await memory.save([...entries, entry({ kind: 'summary', task: null })], 'Lea Lead');
    await memory.save(entries, 'Lea Lead');
    const told = await memory.load();
    assert.equal(troubles, []);
    assert.is(told.length, 3);
    assert.equal(withoutRev(told.find(({ task }) => task === 'task-001')), withoutRev(entries[0]));
    const later = entry({ kind: 'failure', notes: 'it was taken back', at: '2026-03-01T00:00:00.000Z' });
    await memory.save([later], 'Lea Lead');
    const again = await memory.load();
    assert.is(again.length, 3);
    assert.is(again.find(({ task }) => task === 'task-001')?.notes, 'it was taken back');
    assert.is(repo.git('status', '--porcelain'), before);
  });

test('MEM-1 beads are closed as soon as they are made: nobody is offered them as work', async () => {
  const { memory, bd } = openWith('works');
  await memory.save(
    [entry({ kind: 'result' }), entry({ kind: 'failure', task: 'task-002', status: 'dropped' })],
    'Lea Lead',
  );
  assert.equal(
    bd.beads().map(({ status, close_reason, title, labels }) => [status, close_reason, title, labels]),
    [
      ['closed', 'done', '[result] A title', ['flame', 'flame-result']],
      ['closed', 'failed: dropped', '[failure] A title', ['flame', 'flame-failure']],
    ],
  );
  const used = new Set(bd.calls().map(([command]) => command));
  assert.equal([...used].sort(), ['close', 'create', 'list', 'version']);
});

const failures: readonly (readonly [BdMode | 'absent' | 'no workspace', RegExp])[] = [
  ['absent', /bd/],
  ['old', /bd 0\.58\.1 is too old: 1\.0 or newer is needed/],
  ['other program', /did not print JSON/],
  ['locked', /database is locked by another process/],
  ['no json', /did not print JSON/],
  ['crashes', /panic: runtime error/],
  ['no workspace', /has no Beads workspace: bd init --stealth --skip-hooks/],
];
for (const [mode, why] of failures)
  test(`MEM-2 Beads that is of no use (${mode}): one warning, and the notes take all of it`, async () => {
    const { memory, troubles, saved, bd } = openWith(mode);
    await memory.save([entry({ kind: 'result' })], 'Lea Lead');
    await memory.save([entry({ kind: 'failure', task: 'task-002' })], 'Lea Lead');
    assert.is((await memory.load()).length, 2);
    assert.is(saved.length, 2);
    assert.is(troubles.length, 1);
    assert.match(troubles[0] ?? '', why);
    assert.ok(bd.calls().length <= 2, 'it is not asked again');
  });

test('MEM-2 Beads that breaks half-way loses nothing', async () => {
  const { memory, troubles, bd } = openWith('works');
  await memory.save([entry({ kind: 'result' })], 'Lea Lead');
  bd.become('locked');
  await memory.save([entry({ kind: 'result', task: 'task-002' })], 'Lea Lead');
  assert.is(troubles.length, 1);
  assert.equal(
    (await memory.load()).map(({ task }) => task),
    ['task-002'],
  );
});

for (const mode of ['works', 'locked'] as const)
  test(`MEM-1 MEM-2 a session with Beads (${mode}) works to its end, and no file of it gets into a commit`, async () => {
    const repo = makeExecProject({ config: { beads: { enabled: true } } });
    makeWorkspace(repo.path);
    const bd = makeStandIn(mode);
    const env = { PATH: `${bd.bin}:${repo.env.PATH ?? ''}` };
    const plan = writePlan(repo, [{ id: 'task-001', script: 'echo 1 > src/one.txt', locks: ['src/one.txt'] }]);
    const decisions = writeDecisions(repo, { plan: ['approve'], changesets: ['approve'] });
    const run = await flame(repo, ['run', 'One', '--from', plan, '--decisions-file', decisions], { env });
    assert.is(run.code, 0, run.stderr);
    const warnings =
      run.stderr.replace(/\s+/g, ' ').match(/Beads can't be used, so memory is kept in git notes/g)?.length ?? 0;
    assert.is(warnings, mode === 'works' ? 0 : 1);
    assert.is(bd.beads().length, mode === 'works' ? 2 : 0);
    assert.not.ok(repo.git('log', '--name-only', '--format=', 'main').includes('.beads'));
    assert.is(repo.git('status', '--porcelain'), '');
    const { lines } = await flameJson(repo, lookOnly, { env });
    const found = (lines[0]?.findings ?? []) as readonly { check: string; result: string }[];
    assert.is(found.find(({ check }) => check === 'beads')?.result, 'proven');
  });

for (const folder of ['.beads/hooks', '.beads/hooks.d', 'elsewhere/hooks'])
  test(`MEM-2 hooks of the work tree (${folder}) are not started: one warning, the notes take all of it, and doctor says so`, async () => {
    const repo = makeExecProject({ config: { beads: { enabled: true } } });
    makeWorkspace(repo.path);
    if (folder.startsWith('elsewhere')) repo.write('.beads/redirect', 'elsewhere\n');
    repo.write(`${folder}/on_create`, '#!/bin/sh\ntouch "$0.started"\n');
    repo.write('.git/info/exclude', '.beads/\nelsewhere/\n');
    const bd = makeStandIn();
    const env = { PATH: `${bd.bin}:${repo.env.PATH ?? ''}` };
    const plan = writePlan(repo, [{ id: 'task-001', script: 'echo 1 > src/one.txt', locks: ['src/one.txt'] }]);
    const decisions = writeDecisions(repo, { plan: ['approve'], changesets: ['approve'] });
    const run = await flame(repo, ['run', 'One', '--from', plan, '--decisions-file', decisions], { env });
    assert.is(run.code, 0, run.stderr);
    const said = run.stderr.replace(/\s+/g, ' ');
    assert.is(said.match(/Beads can't be used, so memory is kept in git notes/g)?.length, 1, said);
    assert.match(said, /holds hooks, which bd would run as you/);
    assert.equal(bd.calls(), []);
    assert.ok(repo.git('for-each-ref', 'refs/blueflame/memory') !== '', 'the notes have it');
    const { lines } = await flameJson(repo, lookOnly, { env });
    const found = (lines[0]?.findings ?? []) as readonly { check: string; result: string; message: string }[];
    const beads = found.find(({ check }) => check === 'beads');
    assert.is(beads?.result, 'weaker');
    assert.match(beads?.message ?? '', /holds hooks/);
  });

function openWith(mode: BdMode | 'absent' | 'no workspace') {
  const repo = makeRepo();
  if (mode !== 'no workspace') makeWorkspace(repo.path);
  const bd = makeStandIn(mode === 'absent' || mode === 'no workspace' ? 'works' : mode);
  const troubles: string[] = [];
  const saved: MemoryEntry[] = [];
  const notes: MemoryProvider = {
    name: 'notes',
    save: async (entries) => void saved.push(...entries),
    load: async () => saved,
  };
  const path = mode === 'absent' ? join(repo.path, 'nowhere') : `${bd.bin}:${process.env.PATH}`;
  const memory = openBeadsMemory({
    place: { env: { ...repo.env, PATH: path }, root: repo.path },
    notes,
    onTrouble: (why) => troubles.push(why),
  });
  return { memory, troubles, saved, bd };
}

function entry(parts: Partial<Record<keyof MemoryEntry, unknown>>): MemoryEntry {
  return memoryEntrySchema.parse({
    ...{
      v: 1,
      rev: 1,
      kind: 'result',
      session: 'ses-20260206-143022-ab12',
      task: 'task-001',
      title: 'A title',
    },
    ...{ status: 'merged', paths: ['src/**'], notes: 'done', attempts: [], cost_usd: 0.1, tokens: 5 },
    ...{ at: '2026-02-06T14:30:22.000Z', ...parts },
  });
}

function withoutRev(found: MemoryEntry | undefined): unknown {
  return found === undefined ? null : { ...found, rev: 0 };
}

test.run();
