import { openHttpConnection } from './http-connection.ts';
import type { KeptConnection } from './kept-connection.ts';
import { type GitContext, gitText } from './run-git.ts';
import { openSshConnection } from './ssh-connection.ts';

/** null: the person keeps connections already, wants none kept, or the remote is no such server. Closed by who opened it. */
export async function openConnection(context: GitContext, remote: string): Promise<KeptConnection | null> {
  const url = await gitText(context, ['ls-remote', '--get-url', remote], { accept: [0, 2, 128] });
  return /^https?:\/\//.test(url)
    ? openHttpConnection(context, { remote, url })
    : openSshConnection(context, url);
}
