import { openConnection } from '../../../lib/git/process/open-connection.ts';
import { openRepo } from '../../support/repo.ts';

// A run that holds a connection, to be killed: node ssh-victim.js CLONE GIT_SSH_COMMAND.

const [, , clone = '', command = ''] = process.argv;
const { path, env } = openRepo(clone);
const connection = await openConnection({ cwd: path, env: { ...env, GIT_SSH_COMMAND: command } }, 'origin');
await connection?.ready('fetch', 60_000);
process.stdout.write(connection?.context.env.GIT_SSH_COMMAND ?? 'none');
setInterval(() => undefined, 60_000);
