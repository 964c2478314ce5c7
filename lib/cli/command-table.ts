import type { CommandTable, GlobalSpecs } from './command-spec.ts';

/** Every command, in the order help shows them. The only place where they are described. */
export const commandTable: CommandTable = {
  init: {
    load: () => import('../commands/init.ts'),
    summary: 'Prepare a repository: .blueflame.yml, git hooks, and git set up to show reviews',
    details:
      'Leaves an existing .blueflame.yml as it is and asks nothing. The hooks judge commits on task branches and in their worktrees; every other commit passes, unless validation.commit_format.apply_to is all. Hooks that are there already (husky, lefthook, pre-commit, your own) run first, and what they say counts. With git config blueflame.pushState true, git push sends refs/blueflame/* along. What git flame changed in the repository is recorded, and --uninstall takes it back byte for byte.',
    options: {
      hooks: { kind: 'no-flag', summary: 'install no git hooks' },
      uninstall: { kind: 'flag', summary: 'take back what git flame changed in the git of this repository' },
      base: { kind: 'text', value: 'BRANCH', summary: 'branch the work lands on' },
      name: { kind: 'text', value: 'NAME', summary: 'name of the project' },
    },
    examples: [
      { command: 'git flame init', does: 'prepare this repository' },
      { command: 'git flame init --no-hooks --base main', does: 'leave hooks as they are' },
      { command: 'git flame init --uninstall', does: 'have hooks and settings as they were' },
    ],
  },
  doctor: {
    load: () => import('../commands/doctor.ts'),
    summary: 'Try out what is enforced here, and look for what is broken or left over',
    details:
      'Each phase of enforcement is tried, not looked up: calls to the watcher, a cell that tries to get out, cells that use too much, a branch that breaks rules. Spends no tokens. Ends with 1 when something is missing that work needs.',
    options: {},
    examples: [
      { command: 'git flame doctor', does: 'is this machine fit, and is the state sound?' },
      { command: 'git flame doctor --json', does: 'the same for scripts' },
    ],
  },
  plan: {
    load: () => import('../commands/plan.ts'),
    summary: 'Turn an objective into tasks and have the plan approved',
    details:
      'A planner proposes the tasks, or a file written by hand replaces it. You approve the plan, edit it, ask for another one or quit. No task exists before you approve.',
    operand: { usage: '[OBJECTIVE...]', kind: 'words' },
    options: {
      from: { kind: 'text', value: 'FILE', summary: 'read the plan from a YAML or JSON file' },
      new: { kind: 'flag', summary: 'leave an open session as it is and start another' },
      interactive: { kind: 'yes-no', summary: 'talk with the planner, or let it answer at once' },
    },
    examples: [
      { command: "git flame plan 'Add login with a password'", does: 'plan one objective' },
      { command: 'git flame plan --from plan.yml', does: 'use a plan written by hand' },
    ],
  },
  work: {
    load: () => import('../commands/work.ts'),
    summary: 'Run the workers on every task that is ready',
    details:
      'Each worker has a worktree of its own and can write nothing else. Ends when nothing more can be started.',
    options: {},
    examples: [
      { command: 'git flame work', does: 'work on the approved plan' },
      { command: 'git flame work --dry-run', does: 'show what would be started' },
    ],
  },
  validate: {
    load: () => import('../commands/validate.ts'),
    summary: 'Have every finished task checked by diagnostics and a validator',
    details: 'A failing diagnostic never becomes a pass. What fails you requeue, edit or drop.',
    options: {},
    examples: [{ command: 'git flame validate', does: 'check what the workers finished' }],
  },
  merge: {
    load: () => import('../commands/merge.ts'),
    summary: 'Build one changeset per cohesion group on the current base branch',
    details: 'Nothing lands yet: a conflict is reported, never guessed.',
    options: {},
    examples: [{ command: 'git flame merge', does: 'build the changesets to review' }],
  },
  review: {
    load: () => import('../commands/review.ts'),
    summary: 'Show each changeset, have it approved or rejected, and land it',
    details:
      'At a terminal it asks for each changeset in turn. Elsewhere name the changeset and the decision. A changeset whose diagnostics fail lands only with --override.',
    options: {
      changeset: { kind: 'text', value: 'GROUP', summary: 'only the changeset of this cohesion group' },
      approve: { kind: 'flag', summary: 'approve without asking' },
      reject: { kind: 'text', value: 'REASON', summary: 'reject; its tasks are requeued with the reason' },
      skip: { kind: 'flag', summary: 'decide nothing; it is shown again in the next cycle' },
      override: {
        kind: 'text',
        value: 'REASON',
        summary: 'approve although diagnostics fail, for this reason',
      },
    },
    examples: [
      { command: 'git flame review', does: 'review at the terminal' },
      { command: 'git flame review --changeset auth --approve', does: 'approve one changeset' },
      {
        command: "git flame review --changeset api --reject 'documents endpoints that do not exist'",
        does: 'reject one changeset',
      },
    ],
  },
  run: {
    load: () => import('../commands/run.ts'),
    summary: 'Go through all waves: plan, work, validate, merge and review',
    details:
      'Goes on with the session there is, or starts one. Stops at each gate that nobody can answer, with everything saved.',
    operand: { usage: '[OBJECTIVE...]', kind: 'words' },
    options: {
      from: { kind: 'text', value: 'FILE', summary: 'read the plan from a YAML or JSON file' },
      new: { kind: 'flag', summary: 'leave an open session as it is and start another' },
    },
    examples: [
      { command: "git flame run 'Add login with a password'", does: 'the whole cycle' },
      { command: 'git flame run', does: 'go on where it stopped' },
      {
        command: "git flame run 'Fix the build' --decisions-file decisions.yml --json",
        does: 'a run without questions, one event a line',
      },
    ],
  },
  resume: {
    load: () => import('../commands/resume.ts'),
    summary: 'Go on with a session after a stop or a kill',
    details:
      'Ends agents that outlived their run, frees their tasks, brings the checkout along where a landing was cut short, says which worktrees were kept, and goes on like git flame run. Without a name: the current session.',
    operand: { usage: '[SESSION]', kind: 'one' },
    options: {},
    examples: [
      { command: 'git flame resume', does: 'go on with the current session' },
      { command: 'git flame resume ses-20260206-143022-1a2b', does: 'go on with an earlier one' },
    ],
  },
  status: {
    load: () => import('../commands/status.ts'),
    summary: 'Show the session, its tasks, agents, changesets and cost',
    details: 'Reads only. With --json the shape is stable.',
    options: {},
    examples: [
      { command: 'git flame status', does: 'where the session stands' },
      { command: 'git flame status --json', does: 'the same for scripts' },
    ],
  },
  show: {
    load: () => import('../commands/show.ts'),
    summary: 'Tell the whole story of a task, an agent or a changeset',
    details: 'Attempts, verdicts, history, worktree and what to do next. Without a name: the session.',
    operand: { usage: '[TASK|AGENT|CHANGESET]', kind: 'one' },
    options: { diff: { kind: 'flag', summary: 'show the diff too' } },
    examples: [
      { command: 'git flame show task-001', does: 'one task' },
      { command: 'git flame show auth --diff', does: 'a changeset and its diff' },
    ],
  },
  log: {
    load: () => import('../commands/log.ts'),
    summary: 'List what happened, newest first',
    details: 'Each line is a commit on refs/blueflame/*, so plain git log shows the same.',
    operand: { usage: '[TASK]', kind: 'one' },
    options: { maxCount: { kind: 'number', short: 'n', value: 'N', summary: 'at most N entries' } },
    examples: [
      { command: 'git flame log -n 20', does: 'the latest twenty changes' },
      { command: 'git flame log task-001', does: 'everything about one task' },
    ],
  },
  sync: {
    load: () => import('../commands/sync.ts'),
    summary: 'Share the state with a remote: fetch, merge and push it',
    details:
      "Fetches the remote's state beside yours, merges both note by note, and pushes the result. Different tasks merge with no question; of two changes to the same task one is kept by fixed rules and the other stands in the task's history. Nothing is ever overwritten. The commits that tasks name go along; your own branches do not. Without a name it is the remote of your branch, else the only one, else origin.",
    operand: { usage: '[REMOTE]', kind: 'one' },
    options: {},
    examples: [
      { command: 'git flame sync', does: 'share with the remote of this branch' },
      { command: 'git flame sync upstream --dry-run', does: 'show what would be merged and sent' },
    ],
  },
  rescue: {
    load: () => import('../commands/rescue.ts'),
    summary: 'List, show and get back work that was kept when its worktree was removed',
    details:
      'What an agent left is kept as a commit under refs/blueflame/rescue/ before its worktree goes; it is on no branch and is never merged by itself. A name is SESSION/TASK/N or a clear part of it; of one task the latest is meant.',
    operand: { usage: '[NAME]', kind: 'one' },
    subcommands: [
      { name: 'list', summary: 'name everything that was kept' },
      { name: 'show', summary: 'tell who left it, when and why, and what it changes' },
      { name: 'restore', summary: 'write its files into a new folder' },
      { name: 'drop', summary: 'forget it; git gc removes it in time' },
    ],
    options: {
      to: { kind: 'text', value: 'DIR', summary: 'restore: the folder, absent or empty (rescued-TASK-N)' },
      diff: { kind: 'flag', summary: 'show the diff too' },
    },
    examples: [
      { command: 'git flame rescue list', does: 'what there is' },
      { command: 'git flame rescue show task-001 --diff', does: 'the latest one of a task' },
      { command: 'git flame rescue restore task-001 --to /tmp/task-001', does: 'get its files' },
    ],
  },
  cleanup: {
    load: () => import('../commands/cleanup.ts'),
    summary: 'Remove what ended sessions left: worktrees, merged branches, old logs',
    details:
      'Shows first what it would do; --yes does it. Work that was not merged stays without --force. Whatever is in a worktree is kept as a rescue first; one that holds a secret stays.',
    options: {
      yes: { kind: 'flag', summary: 'do it' },
      force: { kind: 'flag', summary: 'work that was not merged too; it is kept as a rescue' },
    },
    examples: [
      { command: 'git flame cleanup', does: 'see what could go' },
      { command: 'git flame cleanup --yes', does: 'remove what is merged or empty' },
    ],
  },
  policy: {
    load: () => import('../commands/policy.ts'),
    summary: 'Try the rules agents work under',
    details:
      'check reads tool calls from standard input, one JSON object per line, and answers one JSON object per line: {decision, rule, details}.',
    subcommands: [{ name: 'check', summary: 'decide tool calls read from standard input' }],
    needsSubcommand: true,
    options: {
      role: { kind: 'text', value: 'ROLE', summary: 'planner, worker, validator or merger (worker)' },
      locks: { kind: 'list', value: 'A,B', summary: 'file locks of the task, separated by commas' },
      worktree: { kind: 'text', value: 'DIR', summary: 'folder the agent works in (this one)' },
    },
    examples: [
      {
        command: 'git flame policy check --role worker --locks src/ <calls.jsonl',
        does: 'decide recorded calls',
      },
    ],
  },
  config: {
    load: () => import('../commands/config.ts'),
    summary: 'Show, migrate or describe the configuration',
    details: '',
    subcommands: [
      { name: 'show', summary: 'print the effective values' },
      { name: 'migrate', summary: 'bring an older file to this version, comments kept' },
      { name: 'schema', summary: 'print the JSON Schema of the file' },
    ],
    options: { write: { kind: 'flag', summary: 'migrate: rewrite the file instead of printing it' } },
    examples: [
      { command: 'git flame config', does: 'what is in force' },
      { command: 'git flame config migrate --write', does: 'rewrite an older file' },
    ],
  },
  demo: {
    load: () => import('../commands/demo.ts'),
    summary: 'Run a whole cycle on a throw-away repository with scripted agents',
    details: 'Needs no account and no network.',
    options: {
      keep: { kind: 'flag', summary: 'keep the repository and say where it is' },
      dir: { kind: 'text', value: 'DIR', summary: 'make the repository here (a temporary folder)' },
    },
    examples: [{ command: 'git flame demo --keep', does: 'look at the result afterwards' }],
  },
  hook: {
    load: () => import('../commands/hook.ts'),
    isHidden: true,
    summary: 'Judge a commit that is about to be made',
    details: 'Called by the installed git hooks. Exit code 3 refuses the commit; every other lets it pass.',
    subcommands: [
      { name: 'commit-msg', summary: 'judge the message in FILE' },
      { name: 'pre-commit', summary: 'judge what is staged' },
    ],
    needsSubcommand: true,
    operand: { usage: '[FILE]', kind: 'one' },
    options: {},
    examples: [{ command: 'git flame hook pre-commit', does: 'judge what is staged' }],
  },
  help: {
    summary: 'Print help about git flame or one command',
    details: '',
    operand: { usage: '[COMMAND]', kind: 'one' },
    options: {},
    examples: [{ command: 'git flame help plan', does: 'the same as git flame plan -h' }],
  },
};

/** Options that every command takes, before or after its name. */
export const globalSpecs: GlobalSpecs = {
  directory: { kind: 'text', short: 'C', value: 'DIR', summary: 'run as if started in DIR' },
  config: { kind: 'text', value: 'FILE', summary: 'use this configuration file' },
  session: { kind: 'text', value: 'ID', summary: 'work on this session instead of the current one' },
  decisionsFile: { kind: 'text', value: 'FILE', summary: 'answer the questions from this file' },
  dryRun: { kind: 'flag', summary: 'show what would happen; start and change nothing' },
  json: { kind: 'flag', summary: 'print JSON: one document, or one event per line' },
  plain: { kind: 'flag', summary: 'no colour, no wrapping, nothing redrawn' },
  quiet: { kind: 'flag', short: 'q', summary: 'only warnings, failures and results' },
  color: { kind: 'yes-no', summary: 'colour always, or never' },
  debug: { kind: 'flag', summary: 'show the stack of an unexpected error' },
  version: { kind: 'flag', short: 'v', summary: 'print the version' },
  help: { kind: 'flag', short: 'h', summary: 'print help' },
};

/** What exit codes mean, for every command. */
export const exitCodeTable: readonly { readonly code: number; readonly means: string }[] = [
  { code: 0, means: 'done' },
  { code: 1, means: 'something failed or was refused' },
  { code: 2, means: 'waits for a person; the command to go on is printed' },
  { code: 128, means: 'cannot work here: no repository, or a bad configuration' },
  { code: 129, means: 'the command line is wrong' },
  { code: 130, means: 'interrupted; everything is saved' },
];
