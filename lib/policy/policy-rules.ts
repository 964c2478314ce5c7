/** Every rule a decision or a violation can name, and what it stands for. The names are stable: audits and tests rely on them. */
export const rules = {
  allowed: 'Nothing in the policy forbids the call.',
  'policy-error': 'A call that the policy could not judge is refused.',
  'call-malformed': 'A tool call must have the fields its tool needs, with values of the right type.',
  'tool-not-allowed': 'Only the tools the role and the configuration both allow may be used.',
  'tool-blocked': 'Tools in permissions.blocked_tools are never used.',
  'tool-option': 'A tool may not be asked to leave its sandbox or to stay in the background.',
  'path-malformed': 'A path is plain text: no control or invisible characters, backslashes, `~`, or URLs.',
  'path-outside': 'A path must lie in the worktree, also after `..` and symlinks are followed.',
  'path-protected': 'Git’s own files, agent settings and the configuration of the tool are out of bounds.',
  'path-blocked': 'Paths matching permissions.blocked_paths are read and never changed.',
  'path-hidden': 'Paths matching permissions.hidden_paths are neither read nor changed.',
  'path-not-allowed': 'What is written must match permissions.allowed_paths.',
  'path-out-of-scope': 'What is written must be covered by the file locks of the task.',
  'path-prepared': "What project.copy, project.link and project.setup put into a worktree is not its agent's work.",
  'path-linked': 'A file with several hard links is not written: the other name may be out of bounds.',
  'path-special': 'Devices, pipes and sockets are neither read nor written.',
  'path-attributes':
    '.gitattributes and .gitmodules change how git treats other files; only an explicit lock allows them.',
  'read-only-role': 'Planners and validators write nothing.',
  'file-name': 'New files follow validation.file_naming.',
  'bash-characters': 'A command must not contain control, invisible or text-reordering characters, or be too long.',
  'command-too-complex':
    'A command must be small enough to judge: its length without here-documents, its words, the files it names.',
  'bash-syntax': 'A command that does not parse completely is refused.',
  'bash-construct': 'Only simple commands joined by pipes, `&&`, `||` and `;` can be judged.',
  'bash-dynamic': 'Every word must be plain text: no variables, substitutions or `~`.',
  'bash-background': 'Nothing is left running in the background.',
  'bash-environment': 'A command may set no other variables than those in bash_rules.allowed_env.',
  'bash-redirect': 'Output and input may be redirected only to files the path rules allow.',
  'bash-not-allowed': 'Only commands in bash_rules.allowed_commands are run.',
  'bash-pattern': 'Commands matching bash_rules.blocked_patterns are never run.',
  'bash-option': 'Options that run programs, skip checks or reach other files are refused.',
  'bash-wrapper': 'Programs that run other commands hide them from the policy.',
  'bash-directory': '`cd` goes only to a plain folder in the worktree.',
  'git-option': 'Options of git that run programs, skip hooks, or reach other repositories and files are refused.',
  authorship: 'An agent’s commits carry its own name and the real time, and claim nothing for a person.',
  'commit-message': 'Commit messages follow validation.commit_format.',
  'diagnostics-only': 'A validator may only ask for the configured diagnostics, exactly as written.',
  'recorded-only': 'A diagnostic does not run in a validator’s cell: the validator sees the recorded result.',
  symlink: 'A symlink may not be absolute or lead out of the repository.',
  submodule: 'Submodules are neither added, moved nor removed.',
  binary: 'A binary file must be named by an allowed path or a lock.',
  'file-size': 'A file may not be larger than sandbox.max_file_size_mb.',
  secret: 'Credentials do not belong in a commit.',
  'tests-missing': 'With validation.require_tests a change of sources comes with a change of tests.',
  'too-much': 'The work of an agent must be small enough to judge: commits, paths, nested folders, bytes, patterns.',
  'model-not-allowed': 'An agent may ask only the model of its role and the small one that its CLI also uses.',
  'request-not-allowed': 'The model API may only answer: it contacts, fetches, runs and stores nothing for an agent.',
  'unwatched-call': 'A call that ran although the watcher had not allowed it ends its agent.',
  history: 'The commits must follow one another in a line from the start of the task.',
} as const;

export type RuleName = keyof typeof rules;

/** Why something is refused: the rule, what and why, and what an agent may do instead. */
export interface PolicyObjection {
  readonly rule: RuleName;
  readonly details: string;
  /** For the agent alone, where `details` doesn't say it. */
  readonly advice?: string;
}

export function createObjection(rule: RuleName, details: string, advice?: string): PolicyObjection {
  return { rule, details, ...(advice === undefined ? {} : { advice }) };
}

/** The first few of a list, for a message. */
export function joinFirstItems(items: readonly string[], most = 12): string {
  if (items.length === 0) return 'nothing';
  const shown = items.slice(0, most).join(', ');
  return items.length > most ? `${shown} and ${items.length - most} more` : shown;
}
