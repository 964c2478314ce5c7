import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { landingBranchExists } from '../../../lib/engine/review/shape-landing.ts';

test("a branch's name that a shell would act on is quoted in what to type next", () => {
  const [rename] = landingBranchExists('work;$(id)').hints;
  assert.is(rename, "git branch -m 'work;$(id)' 'work;$(id)-old'");
  assert.is(landingBranchExists('agents/done').hints[0], 'git branch -m agents/done agents/done-old');
});

test.run();
