import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';

/** Whether this process stays for as long as that one lives, or its pipes are open. */
export function holdChild(child: ChildProcess, isHeld: boolean): void {
  const change = isHeld ? 'ref' : 'unref';
  child[change]();
  // The pipes of a child are sockets, whatever their declared type.
  for (const pipe of child.stdio as readonly (Socket | null | undefined)[]) pipe?.[change]();
}
