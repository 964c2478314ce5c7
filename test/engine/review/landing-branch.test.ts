import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { landingBranchExistsError } from '../../../lib/engine/review/shape-landing.ts';

test("a branch's name that a shell would act on is quoted in what to type next", () => {
  const [rename] = landingBranchExistsError('work;$(id)').hints;
  assert.is(rename, "git branch -m 'work;$(id)' 'work;$(id)-old'");
  assert.is(landingBranchExistsError('agents/done').hints[0], 'git branch -m agents/done agents/done-old');
});

test.run();
