import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readPlanFile, renderPlanYaml } from '../../lib/config/plan-file.ts';
import type { Plan } from '../../lib/domain/state/plan-schema.ts';
import { errorOf, errorText, lines } from './support.ts';

const one = { id: 'task-001', title: 'Add a file', description: 'Add it.' };

test('YAML and JSON, with tasks or as the list alone (TSK-6)', () => {
  const yaml = 'tasks:\n  - id: task-001\n    title: Add a file\n    description: Add it.\n';
  const plan = readPlanFile(yaml, 'plan.yml');
  assert.equal(plan, {
    tasks: [
      {
        ...one,
        priority: 5,
        cohesion_group: 'main',
        dependencies: [],
        file_locks: [],
        acceptance_criteria: [],
        constraints: [],
        model: null,
        adapter: null,
      },
    ],
  } as unknown as Plan);
  for (const text of [
    JSON.stringify({ tasks: [one] }),
    JSON.stringify([one]),
    JSON.stringify([one], null, '\t'),
    `\ufeff${JSON.stringify({ tasks: [one], summary: 'x', estimated_cost: 1 }, null, 2)}`.replace(/\n/g, '\r\n'),
    `- ${JSON.stringify(one)}`,
  ]) {
    assert.equal(readPlanFile(text, 'plan.json'), plan, text);
  }
});

test('all mistakes together, with their places (TSK-5)', () => {
  const text = `tasks:
  - id: Task 1
    titel: x
    description: ""
    file_lock: [a]
    priority: high
  - 5
  - id: b
    title: B
    description: b
    dependencies: task-001
    notes: passed over
`;
  const error = errorOf(() => readPlanFile(text, 'plan.yml'));
  assert.is(error.code, 'bad-plan');
  assert.is(error.kind, 'environment');
  assert.is(
    [error.message, ...error.lines].join('\n'),
    lines(`
      plan.yml has 7 mistakes.
      plan.yml:2:9  tasks[0].id must be lower-case letters, digits and hyphens, at most 64, like task-001
          - id: Task 1
                ^^^^^^
      plan.yml:3:5  tasks[0].titel is not a known key
            titel: x
            ^^^^^
        hint: did you mean title?
      plan.yml:4:18  tasks[0].description is empty
            description: ""
                         ^^
      plan.yml:5:5  tasks[0].file_lock is not a known key
            file_lock: [a]
            ^^^^^^^^^
        hint: did you mean file_locks?
      plan.yml:6:15  tasks[0].priority must be a number, not text
            priority: high
                      ^^^^
      plan.yml:7:5  tasks[1] must be a map of keys, not 5
          - 5
            ^
      plan.yml:11:19  tasks[2].dependencies must be a list, not text
            dependencies: task-001
                          ^^^^^^^^
        hint: write it as a list: ["task-001"]`),
  );
});

test('what is missing, in a bare list too', () => {
  assert.is(
    errorText(() => readPlanFile('[{"id": "a",\n  "title": "A"}]', 'p.json')),
    lines(`
      p.json has a mistake.
      p.json:1:2  [0].description is missing
        [{"id": "a",
         ^^^^^^^^^^^`),
  );
  assert.match(
    errorText(() => readPlanFile('task: []\n', 'p')),
    'p:1:1  task is not a known key',
  );
  for (const text of ['', '{}', '# nothing\n']) {
    assert.match(
      errorText(() => readPlanFile(text, 'p')),
      'tasks is missing',
    );
  }
});

test('an emptied plan is empty (PLN-6)', () => {
  for (const text of ['tasks: []\n', 'tasks:\n', '[]', renderPlanYaml({ tasks: [] })]) {
    assert.equal(readPlanFile(text, 'p'), { tasks: [] });
  }
});

test('broken JSON and broken YAML', () => {
  assert.is(
    errorText(() => readPlanFile('{"tasks": [\n  {"id": "a" "title": "b"}\n]}', 'p.json')),
    lines(`
      p.json has a mistake.
      p.json:2:14  the line is not valid YAML: unexpected double-quoted-scalar token
          {"id": "a" "title": "b"}
                     ^^^^^^^`),
  );
  assert.match(
    errorText(() => readPlanFile('tasks:\n  - id: a\n    title: a: b\n', 'p.yml')),
    'p.yml:3:12  the line is not valid YAML: nested mappings are not allowed in compact mappings',
  );
});

test('texts that YAML would misread survive the way to the editor and back (TSK-5)', () => {
  const texts = [
    'a: b',
    'a # b',
    '# a',
    '- a',
    '  leading',
    'trailing  ',
    'one\ntwo',
    'one\ntwo\n',
    'one\n\n  two\n\n\n',
    '\n\nthree',
    '\n  indented first',
    'tab\tinside\n\tand in front',
    'yes',
    'null',
    '~',
    '123',
    '0x1f',
    '2026-01-01',
    '"quoted"',
    "it's",
    '{a: 1}',
    '[a]',
    '&a *b !c',
    '%d',
    '@x',
    '`code`',
    '|',
    '>',
    '---',
    '...\n---\n',
    'é 日本語 🎉',
    '\u2028line separator',
    'a\\nb',
    '<%= x %>',
    ' ',
    'x'.repeat(5_000),
    `${'word '.repeat(500)}\nsecond: line #${'x'.repeat(300)}`,
    '# not a comment\nkey: value # still not\n',
  ];
  const plan: Plan = {
    tasks: texts.map((text, index) => ({
      ...readPlanFile(JSON.stringify([{ ...one, id: `t-${index}` }]), 'p').tasks[0]!,
      title: text.replace(/[\n\t]/g, ' ').slice(0, 200),
      description: text,
      acceptance_criteria: [text.slice(0, 2_000), 'plain'],
      constraints: [text.slice(0, 2_000)],
      file_locks: ['src/**', '*.md', '{a,b}', '#x', 'a: b'],
      dependencies: index === 0 ? [] : [`t-${index - 1}` as never],
      model: index % 2 === 0 ? null : 'opus: x',
      adapter: index % 3 === 0 ? 'exec' : null,
    })),
  };
  const text = renderPlanYaml(plan);
  const back = readPlanFile(text, 'plan.yml');
  for (const [index, task] of plan.tasks.entries()) assert.equal(back.tasks[index], task);
  assert.is(renderPlanYaml(back), text);
});

test('what the editor shows is explained and easy to change', () => {
  const plan = readPlanFile(
    JSON.stringify([
      {
        ...one,
        description: 'First: this.\n\nThen # that.\n',
        dependencies: ['b', 'c'],
        file_locks: ['src/'],
      },
      { ...one, id: 'b', model: 'opus' },
    ]),
    'p',
  );
  const text = renderPlanYaml(plan);
  const [header = '', body = ''] = text.split('\ntasks:\n');
  assert.ok(header.split('\n').every((line) => line === '' || line.startsWith('#')));
  for (const key of Object.keys(plan.tasks[0] ?? {})) assert.match(header, new RegExp(`\\b${key}\\b`));
  assert.is(
    body,
    `  - id: task-001
    title: Add a file
    description: |
      First: this.

      Then # that.
    priority: 5
    cohesion_group: main
    dependencies: [b, c]
    file_locks:
      - src/
    acceptance_criteria: []
    constraints: []

  - id: b
    title: Add a file
    description: Add it.
    priority: 5
    cohesion_group: main
    dependencies: []
    file_locks: []
    acceptance_criteria: []
    constraints: []
    model: opus
`,
  );
});

test('a thousand tasks are read, more are refused', () => {
  const many = (count: number) =>
    JSON.stringify({ tasks: Array.from({ length: count }, (_, index) => ({ ...one, id: `t-${index}` })) });
  assert.is(readPlanFile(many(1_000), 'p').tasks.length, 1_000);
  assert.match(
    errorText(() => readPlanFile(many(1_001), 'p')),
    'tasks holds more than 1,000 tasks',
  );
  assert.is(errorOf(() => readPlanFile(' '.repeat(10_000_001), 'p')).code, 'file-too-big');
});

test.run();
