/**
 * A hook's command as agent CLIs need it: only exit 2 blocks, so the shell turns whatever is no 0 into one, a program
 * that was killed or isn't there too. Some let a call through where nothing says why, so something always does.
 */
export function guardedHook(command: string): string {
  return `${command} || { [ $? -eq 2 ] || echo 'The watcher failed. [watcher-failed]' >&2; exit 2; }`;
}
