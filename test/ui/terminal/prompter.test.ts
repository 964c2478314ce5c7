import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FlameError } from '../../../lib/domain/flame-error.ts';
import { createPrompter } from '../../../lib/ui/terminal/prompter.ts';
import { makeFakeIo } from '../../support/fake-io.ts';

const question = '(a)pprove / (r)eject / (v)iew / (c)omment / (s)kip / (u)ndo a decision? ';
const onEnd = () => new FlameError({ kind: 'waiting', code: 'x', message: 'x', hints: [] });

async function asked(width?: number): Promise<string> {
  const { io, stderr } = makeFakeIo({ input: 'a\n' });
  assert.is(await createPrompter(io, width).ask(question, onEnd), 'a');
  return stderr();
}

test('DSK-2 a question wraps at words, and its last blank is kept for what is typed', async () => {
  for (const width of [20, 40, 60, question.length]) {
    const text = await asked(width);
    assert.is(text.replaceAll('\n', ' '), question, String(width));
    for (const line of text.split('\n')) assert.ok(line.length < width, `${width}: ${line}`);
  }
  assert.is(await asked(question.length + 1), question);
  assert.is(await asked(), question);
});

test.run();
