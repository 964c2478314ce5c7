/** The tools of the Gemini CLI that are offered, by the policy's name for each. All others are switched off. */
export const geminiTools: Readonly<Record<string, string>> = {
  Read: 'read_file',
  LS: 'list_directory',
  Glob: 'glob',
  Grep: 'grep_search',
  Write: 'write_file',
  Edit: 'replace',
  Bash: 'run_shell_command',
};
