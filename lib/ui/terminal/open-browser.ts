import { spawn } from 'node:child_process';
import type { Io } from '../../domain/shown/command.ts';

/** Starts the person's browser where there is a screen for it. Whether it worked is not known: the address is printed. */
export function openBrowser(io: Io, url: string): void {
  const command = browserCommand(io.env, process.platform);
  if (command === null) return;
  const line = command.includes('%s') ? command.replaceAll('%s', '"$1"') : `${command} "$1"`;
  const child = spawn('sh', ['-c', line, 'sh', url], {
    cwd: io.cwd,
    env: { ...io.env },
    stdio: 'ignore',
    detached: true,
  });
  child.on('error', () => undefined);
  child.unref();
}

/** $BROWSER, else what the system opens addresses with; null where that would find no screen. */
function browserCommand(env: Io['env'], platform: NodeJS.Platform): string | null {
  if (env.BROWSER !== undefined && env.BROWSER !== '') return env.BROWSER;
  if (platform === 'darwin') return 'open';
  const hasScreen = [env.DISPLAY, env.WAYLAND_DISPLAY].some((name) => name !== undefined && name !== '');
  return hasScreen ? 'xdg-open' : null;
}
