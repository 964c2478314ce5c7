import { isPlain } from 'flame:plain-notes';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { plannedTaskSchema } from '../../../lib/domain/state/plan-schema.ts';
import { agentRunSchema } from '../../../lib/domain/state/session-schema.ts';
import { plannedTaskKeys, taskStatuses } from '../../../lib/domain/state/task-facts.ts';
import { verdictSchema } from '../../../lib/domain/state/verdict.ts';
import { noteSchemas } from '../../../lib/store/notes/note-schemas.ts';
import { canonicalJson } from '../../../lib/util/canonical-digest.ts';
import { sampleReview, sampleSession, sampleTask, sampleVerdict } from '../../store/sample.ts';

type Json = Readonly<Record<string, unknown>>;
type Name = keyof typeof noteSchemas;

const commit = '2'.repeat(40);
const at = '2026-02-06T14:30:22.000Z';
const machine = { name: 'laptop/1a2b3c4d', claim: 1, key: 'key', signature: 'signed' };
const run = { command: 'npm test', exit_code: 0, timed_out: false, duration_ms: 12.5, output: 'ok\n' };
const evidence = {
  ...{ summary: 'Done.', tree: commit, changed_files: 1, seed: null, results: { passed: 1, failed: 0 } },
  files: [{ path: 'a.ts', mode: '100644', blob: null }],
  commands: [{ command: 'npm test', exit_code: null, output_hash: `sha256:${'0'.repeat(64)}` }],
  verification_hash: `sha256:${'0'.repeat(64)}`,
};
const verdict = inOrder(verdictSchema.shape, {
  ...sampleVerdict(commit),
  diagnostics: [run, { ...run, output_hash: 'sha256:x', on_base: true }],
  ...{ override: 'It is known.', machine, evidence: inOrder(undefined, evidence) },
});

test('a note is plain only where its schema gives it back as it is, whatever is changed of it', () => {
  for (const [name, note] of samples()) {
    const { schema } = noteSchemas[name];
    for (const changed of [note, ...changesOf(note)]) {
      const json: unknown = JSON.parse(textOf(changed));
      if (!isPlain[name](json)) continue;
      const parsed = schema.safeParse(json);
      assert.ok(parsed.success, `${name}: ${textOf(changed)}`);
      assert.is(canonicalJson(parsed.data), canonicalJson(json), name);
    }
  }
});

test('notes as they are written are plain', () => {
  for (const [name, note] of samples()) {
    const written = noteSchemas[name].schema.parse(JSON.parse(JSON.stringify(note)));
    assert.ok(isPlain[name](JSON.parse(JSON.stringify(written))), `${name}: ${JSON.stringify(written)}`);
  }
});

test('what has a key that is not known is left to the schema', () => {
  const task: Json = { ...sampleTask('task-001') };
  assert.ok(isPlain.tasks(task));
  assert.not.ok(isPlain.tasks({ ...task, later: 1 }));
  assert.not.ok(isPlain.tasks(JSON.parse(`{"__proto__": {}, ${JSON.stringify(task).slice(1)}`)));
  for (const none of [null, [], 'task', 1, undefined]) assert.not.ok(isPlain.tasks(none));
});

test('what is planned of a task is every key of its plan', () => {
  assert.equal(plannedTaskKeys, plannedTaskSchema.omit({ id: true }).keyof().options);
});

/** Of each kind whose notes may be plain one that has all there may be. */
function samples(): readonly (readonly [Name, Json])[] {
  const session = sampleSession(undefined, {
    title: 'A title',
    agents: [inOrder(agentRunSchema.shape, agentRun())],
    spend: { worker: { runs: 1, cost_usd: 0.5, tokens: 10 } },
    estimate: {
      ...{ base_usd: 1, with_retries_usd: 2 },
      roles: { worker: { runs: 1, runs_with_retries: 2, agent_usd: 0.5 } },
    },
    gates: [{ gate: 'plan', decision: 'approve', by: 'Lea', at, where: 'laptop/1' }],
    checkout: { from: commit, to: commit, place: 'here' } as never,
    pauses: [{ adapter: 'claude', until: at, why: 'overloaded' }],
    changesets: [changeset()] as never,
    spent_on: { 'laptop/1': { cost_usd: 1, tokens: 2 } },
    archived_at: at,
  });
  const tasks = taskStatuses.map((status): [Name, Json] => ['tasks', taskIn(status)]);
  return [
    ['sessions', inOrder(noteSchemas.sessions.schema.shape, session)],
    ['sessions', { ...sampleSession() }],
    ...tasks,
    ['validations', { v: 1, rev: 1, verdicts: [verdict, { ...sampleVerdict(commit) }] }],
    ['reviews', { ...sampleReview(commit) }],
  ];
}

function taskIn(status: (typeof taskStatuses)[number]): Json {
  const work = status === 'done' || status === 'merged' ? { branch: 'b', commit, start_commit: commit } : {};
  const claim = status === 'claimed' ? { claimed_by: 'Lea', claimed_at: at } : {};
  const more = {
    ...{ file_locks: ['src/a.ts'], dependencies: ['task-002'], acceptance_criteria: ['It works.\n'] },
    history: [historyEntry()],
    ...{ claim: 3, undone: 1, landed_as: commit, source: 'https://example.com/a/b/issues/1' },
    built_on: [{ task: 'task-002', commit }],
  };
  const task = { ...sampleTask('task-001'), ...more, ...work, ...claim, status };
  return inOrder(noteShape(), task);
}

function noteShape(): Json {
  const [option] = noteSchemas.tasks.schema.options;
  return option.shape;
}

function historyEntry(): Json {
  return {
    ...{ attempt: 1, agent_id: null, timestamp: at, result: 'failed', notes: 'no', rejection_reason: null },
    ...{ cost_usd: 0.5, tokens_used: 10, on_request: true, work: { commit, start: commit } },
  };
}

function agentRun() {
  return {
    role: 'worker' as const,
    ...{ id: 'worker-1a2b3c4d', task_id: 'task-001', model: null, started_at: at },
    ...{ ended_at: at, outcome: 'done', cost_usd: 0.5, tokens: 10 },
  };
}

function changeset(): Json {
  return {
    ...{ id: '1-main', group: 'main', tasks: ['task-001'], works: [commit], missing: [], depends_on: [] },
    ...{ state: 'landed', base: commit, parent: commit, commit },
    diffstat: { files: 1, insertions: 2, deletions: 3 },
    ...{ diagnostics: [run], reason: null, message: 'Land it', decided_by: null },
    ...{ landed_commit: commit, undone: { commit, by: 'Lea', at } },
  };
}

/** With the keys of a shape in its order. */
function inOrder<T extends object>(shape: object | undefined, value: T): T {
  const order = Object.keys(shape ?? evidenceShape());
  const place = ([key]: [string, unknown]): number => order.indexOf(key);
  return Object.fromEntries(Object.entries(value).sort((a, b) => place(a) - place(b))) as T;
}

function evidenceShape(): object {
  return verdictSchema.shape.evidence.unwrap().shape;
}

// A number that JSON reads as no finite one can't be written by JSON.stringify.
const endless = '«endless»';
const others: readonly unknown[] = [
  ...[null, true, 0, -1, 1, 1.5, 1e21, endless, '', 'x', 'a\u202eb', 'a\u0007b', 'x'.repeat(60_000)],
  ...[[], {}, [null], { a: 1 }, 'task-001', commit, `${commit}\n`, 'worker', 'pending', { constructor: 1 }],
];

function textOf(value: unknown): string {
  return JSON.stringify(value).replaceAll(`"${endless}"`, '1e999');
}

/** The value with each of its parts replaced, taken out, doubled, or with a key more. */
function* changesOf(value: unknown): Generator<unknown> {
  yield* others;
  if (Array.isArray(value)) {
    for (const [at, part] of value.entries()) {
      for (const changed of changesOf(part)) yield value.with(at, changed);
      yield [...value, part];
      yield value.filter((_, other) => other !== at);
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, part] of Object.entries(value)) {
      for (const changed of changesOf(part)) yield { ...value, [key]: changed };
      yield Object.fromEntries(Object.entries(value).filter(([other]) => other !== key));
    }
    yield { ...value, later: 1 };
    yield { later: 1, ...value };
  }
}

test.run();
