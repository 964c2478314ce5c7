import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hasBubblewrap, testIf } from '../../support/skip.ts';
import { openEffectStage } from './stage.ts';

const inCell = testIf(test, hasBubblewrap(), 'bubblewrap cannot make a cell here');

const inItsName = ['AUTHOR', 'COMMITTER']
  .map((who) => `GIT_${who}_NAME='worker one' GIT_${who}_EMAIL=worker@example.com`)
  .join(' ');

// With neither a judge nor a cell each line has its effect, or the stage would not see it in the other tests.
const lines: readonly (readonly [line: string, effect: string])[] = [
  ['cat src/a.ts', 'none'],
  ['cat .env', 'told: TOKEN=hidden-word-4711 .env'],
  ['cat ~/.netrc', 'told what lies outside'],
  ['exec 3<>/dev/tcp/127.0.0.1/47113; cat <&3', 'a connection'],
  ['setsid sleep 60 </dev/null >/dev/null 2>&1 &', 'a process is left'],
  ['echo changed > /REPO/../outside.txt', 'changed outside'],
  ['cp .env src/b.ts', 'hidden word handed in by src/b.ts'],
  [`${inItsName} git commit -q --allow-empty -m "$(cat .env)"`, 'hidden word handed in by a commit'],
];

inCell('each effect that counts is seen where nothing holds a line', async () => {
  const stage = await openEffectStage({
    commands: [],
    policy: { allowed_paths: ['**'], blocked_paths: ['**/.env'], file_locks: [] },
  });
  try {
    for (const [line, effect] of lines) assert.is(await stage.typeUnheld(line), effect, line);
  } finally {
    stage.close();
  }
});

test.run();
