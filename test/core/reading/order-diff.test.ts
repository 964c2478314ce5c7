import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { orderDiff } from '../../../lib/core/reading/order-diff.ts';
import type { TaskId } from '../../../lib/domain/ids.ts';
import type { ReadingGuide } from '../../../lib/domain/state/reading-guide.ts';
import { changesOf } from './changes.ts';

const size = { insertions: 1, deletions: 0 };
const files = changesOf({ 'a.md': { before: 'a\n', after: 'b\n' }, 'z.ts': { before: 'a\n', after: 'b\n' } }).texts.map(
  ({ file }) => file,
);
const first =
  'diff --git a/a.md b/a.md\n--- a/a.md\n+++ b/a.md\n@@ -1 +1 @@\n-diff --git a/x b/x\n+b\rdiff --git a/x b/x\n';
const second = 'diff --git a/z.ts b/z.ts\n--- a/z.ts\n+++ b/z.ts\n@@ -1 +1 @@\n-a\n+b\n';
const guide: ReadingGuide = {
  chapters: [
    {
      kind: 'subject',
      title: 'z.ts',
      isFolded: false,
      files: [
        {
          path: 'z.ts',
          ...size,
          why: { task: 'task-001' as TaskId, text: 'it was\ndiff --git slow' },
          marks: [{ kind: 'no-test', reason: 'no test' }],
        },
      ],
    },
    {
      kind: 'documents',
      title: 'Documents',
      isFolded: false,
      files: [{ path: 'a.md', ...size, why: null, marks: [] }],
    },
  ],
};

test('a diff is put in the order of its guide, with headings that git apply passes over', () => {
  assert.is(
    orderDiff(first + second, files, guide),
    `# 1. Subject: z.ts\n# says the worker of task-001: it was diff --git slow\n# look twice: no test\n${second}# 2. Documents\n${first}`,
  );
});

test('what is not the diff of these files comes back as it is', () => {
  for (const diff of [first, first + second + second, '']) assert.is(orderDiff(diff, files, guide), diff);
});

test.run();
