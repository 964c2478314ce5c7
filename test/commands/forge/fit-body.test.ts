import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { cutBodyToHostLimit } from '../../../lib/commands/forge/forge-commands.ts';

const last = 'Session `ses-20260206-143022-a1b2`, $1.00.';
const bodyOf = (paragraphs: readonly string[]): string => `${[...paragraphs, last].join('\n\n')}\n`;
const host = 'GitLab';

test('RND-2 a text that its host takes is told as it is', () => {
  const body = bodyOf(['One.', 'Two.']);
  assert.is(cutBodyToHostLimit(body, { longest: body.length, host }), body);
});

test('RND-2 a longer one ends between two paragraphs, says how much is left out and where all of it is', () => {
  const paragraphs = Array.from({ length: 100 }, (_, at) => `Paragraph ${at} ${'x'.repeat(50)}`);
  const body = bodyOf(paragraphs);
  for (const longest of [400, 1_000, 3_000]) {
    const shown = cutBodyToHostLimit(body, { longest, host });
    assert.ok(shown.length <= longest, `${shown.length} of ${longest}`);
    const [, kept = '', left = ''] =
      /^(.*)\n\nThe text is (\d+) characters longer than GitLab accepts here\. The whole text, task by task: `git flame show ses-20260206-143022-a1b2`\.\n\nSession/s.exec(
        shown,
      ) ?? [];
    assert.ok(body.startsWith(`${kept}\n\nParagraph`), shown);
    assert.is(kept.length + Number(left), body.length);
    assert.ok(shown.endsWith(`${last}\n`));
  }
});

test('RND-2 a single paragraph that is too long ends between two lines', () => {
  const shown = cutBodyToHostLimit(bodyOf([Array.from({ length: 100 }, (_, at) => `line ${at}`).join('\n')]), {
    longest: 400,
    host,
  });
  assert.ok(shown.length <= 400);
  assert.match(shown, /^line 0\n.*line \d+\n\nThe text is/s);
});

test('RND-2 a text is never longer than its host takes, whatever its paragraphs are', () => {
  const line = 'y'.repeat(5_000);
  for (const body of [
    `${line}\n`,
    bodyOf([line]),
    bodyOf(['\u{1f525}'.repeat(2_500)]),
    `One.\n\n${line}\n`,
    `One.\n\nSession \`ses-20260206-143022-a1b2\`, ${line}\n`,
    `${'z\n'.repeat(3_000)}`,
  ])
    for (const longest of [400, 401]) {
      const shown = cutBodyToHostLimit(body, { longest, host });
      assert.ok(shown.length <= longest, `${shown.length} of ${longest}: ${shown.slice(0, 80)}`);
      assert.match(shown, /^\S[\s\S]*The text is \d+ characters longer/);
      assert.not.match(shown, /[\ud800-\udbff](?![\udc00-\udfff])/);
      assert.match(
        shown,
        body.includes('Session `') ? /`git flame show ses-20260206-143022-a1b2`/ : /`git flame show`/,
      );
    }
});

test.run();
