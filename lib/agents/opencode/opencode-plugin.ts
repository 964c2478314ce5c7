import { guardedHook } from '../guarded-hook.ts';

/**
 * Writes the source of the plugin by which opencode asks the watcher: an error that it throws blocks a call, and the
 * model reads it. Making the plugin leaves the sign that it was loaded.
 */
export function opencodePlugin(hookCommand: string, canaryCommand: string | null): string {
  return `import { spawnSync } from 'node:child_process';

const run = (command, input) =>
  spawnSync('/bin/sh', ['-c', command], { input, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });

export const Watcher = async ({ directory }) => {
  ${canaryCommand === null ? '' : `run(${JSON.stringify(canaryCommand)}, '');`}
  return {
    'tool.execute.before': async ({ tool, callID }, { args }) => {
      const call = { tool_name: tool, tool_input: args, tool_use_id: callID, cwd: directory };
      const { status, stderr } = run(${JSON.stringify(guardedHook(hookCommand))}, JSON.stringify(call));
      if (status !== 0) throw new Error(String(stderr ?? '').trim() || 'The watcher failed. [watcher-failed]');
    },
  };
};
`;
}
