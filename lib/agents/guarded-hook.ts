/**
 * Wraps a hook's command as agent CLIs need it: only exit 2 blocks, so the shell turns each failure into a 2, also of a
 * program that was killed or isn't there. Some CLIs let a call through without a reason on stderr, so one is printed.
 */
export function guardedHook(command: string): string {
  return `${command} || { [ $? -eq 2 ] || echo 'The watcher failed. [watcher-failed]' >&2; exit 2; }`;
}
