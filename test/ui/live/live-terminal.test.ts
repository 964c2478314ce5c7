import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createLiveScreen } from '../../../lib/ui/live/live-terminal.ts';

function open(): { readonly screen: ReturnType<typeof createLiveScreen>; written(): string } {
  let text = '';
  const write = (chunk: string): boolean => {
    text += chunk;
    return true;
  };
  const written = (): string => {
    const now = text;
    text = '';
    return now;
  };
  return { screen: createLiveScreen({ write }), written };
}

test('a frame writes the lines that differ, none is broken, and the cursor is never hidden', () => {
  const { screen, written } = open();
  screen.enter();
  screen.draw(['one', 'two', 'three'], 3);
  const first = written();
  assert.match(first, /^\u001b\[\?1049h/);
  for (const line of ['one', 'two', 'three']) assert.match(first, line);
  assert.not.match(first, '\u001b[?25l');
  // Where a program is killed, the terminal breaks lines as before.
  assert.ok(first.lastIndexOf('\u001b[?7h') > first.lastIndexOf('\u001b[?7l'));
  screen.draw(['one', 'TWO', 'three'], 3);
  const next = written();
  assert.match(next, '\u001b[2;1H\u001b[KTWO');
  assert.not.match(next, 'one');
  screen.draw(['one', 'TWO', 'three'], 3);
  assert.is(written(), '');
});

test('after a resize all of it is drawn, and the screen is left once', () => {
  const { screen, written } = open();
  screen.leave();
  assert.is(written(), '');
  screen.enter();
  screen.draw(['one'], 1);
  written();
  screen.forget();
  screen.draw(['one'], 1);
  assert.match(written(), /\u001b\[2J.*one/);
  screen.leave();
  screen.leave();
  assert.is(written(), '\u001b[?1049l');
});

test.run();
