import { gitLimits } from '../../lib/domain/config/checked-work-limits.ts';
import { runGit } from '../../lib/git/process/run-git.ts';

// Runs a git that waits for a pipe, until somebody kills this process.
await runGit({ cwd: '/', env: process.env, guard: { limits: gitLimits } }, [
  ...['config', '-f', process.argv[2] ?? '', 'a.b'],
]);
