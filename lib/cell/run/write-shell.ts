import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const plainShell = '/bin/bash';
/** The CLIs take a shell whose name they know. */
export const shellName = 'bash';

/**
 * Puts the shell of an agent's commands into a folder: what they run, such as a project's own tests, finds neither the
 * address nor the key that its CLI asks the model with, and git asks the hooks that judge a commit as it is made, also
 * where the CLI adds an empty path of hooks to git's environment. Other settings stay.
 */
export function writeShell(folder: string): void {
  const script = `#!/bin/sh
unset ANTHROPIC_API_KEY ANTHROPIC_BASE_URL OPENAI_API_KEY GEMINI_API_KEY GOOGLE_GEMINI_BASE_URL
SHELL=${plainShell} CLAUDE_CODE_SHELL=${plainShell}
export SHELL CLAUDE_CODE_SHELL
case $GIT_CONFIG_COUNT in
'' | *[!0-9]* | ????*) ;;
*)
  at=0
  while [ "$at" -lt "$GIT_CONFIG_COUNT" ]; do
    eval "setting=\\$GIT_CONFIG_KEY_$at=\\$GIT_CONFIG_VALUE_$at"
    # There must be a setting at each place: this one holds anyway.
    case $setting in
    core.hooks[Pp]ath=) export "GIT_CONFIG_KEY_$at=gc.auto" "GIT_CONFIG_VALUE_$at=0" ;;
    esac
    at=$((at + 1))
  done
  unset at setting
  ;;
esac
exec ${plainShell} "$@"
`;
  writeFileSync(join(folder, shellName), script, { mode: 0o500 });
}
