import { spawnSync } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

test('a subject of a commit is at most 72 characters: an area, and what is true now', () => {
  assert.equal(
    newestSubjects().filter((subject) => !isSubject(subject)),
    [],
  );
});

test('what is no subject is seen', () => {
  const wrong = ['What is so', ': so', 'git: a; b', 'fixup! git: so', 'squash! git: so', `git: ${'x'.repeat(68)}`];
  assert.equal(wrong.filter(isSubject), []);
  assert.ok(isSubject(`core, git/refs: ${'x'.repeat(56)}`));
});

function isSubject(text: string): boolean {
  return text.length <= 72 && /^\w[\w ,./-]*: [^;]+$/.test(text);
}

/** Of the forty newest commits; none where this is no checkout. */
function newestSubjects(): readonly string[] {
  const { status, stdout } = spawnSync('git', ['log', '-40', '--no-merges', '--format=%s'], {
    encoding: 'utf8',
  });
  return status === 0 ? stdout.trim().split('\n') : [];
}

test.run();
