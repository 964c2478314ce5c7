import { ledRun } from '../../support/led-run.ts';
import { leadsInRounds, leadsWell } from '../../support/led-tasks.ts';
import { openRepo } from '../../support/repo.ts';

// A led run in a process of its own, which can be killed. Arguments: the repository, and
// `rounds` where she sends work back.
const [path = '', how] = process.argv.slice(2);
// What the person decided stands where the test that started this says.
const { XDG_STATE_HOME = '' } = process.env;
const repo = openRepo(path);
const run = await ledRun(
  { ...repo, env: { ...repo.env, XDG_STATE_HOME } },
  how === 'rounds' ? leadsInRounds : leadsWell,
);
process.stderr.write(run.stderr);
process.exitCode = run.code;
