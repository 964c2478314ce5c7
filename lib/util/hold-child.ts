import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';

/**
 * Throws where a child has no pipes because no descriptor was left: it never began. node reports that by an event
 * alone, which ends the program where nothing listens for it.
 */
export function requirePipes(child: ChildProcess): void {
  if ((child.stdio as ChildProcess['stdio'] | undefined) !== undefined) return;
  child.once('error', () => undefined);
  throw Object.assign(new Error('too many files are open'), { code: 'EMFILE' });
}

/** Whether this process stays for as long as that one lives, or its pipes are open. */
export function holdChild(child: ChildProcess, isHeld: boolean): void {
  const change = isHeld ? 'ref' : 'unref';
  child[change]();
  // The pipes of a child are sockets, although they are declared as streams.
  for (const pipe of child.stdio as readonly (Socket | null | undefined)[]) pipe?.[change]();
}
