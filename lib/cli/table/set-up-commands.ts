import type { CommandTable } from '../command-spec.ts';

/** Commands that prepare a repository and try out its rules. In the order help shows them. */
export const setUpCommands = {
  init: {
    load: () => import('../../commands/init/init.ts'),
    summary: 'Prepare a repository: write .blueflame.yml, install git hooks, show reviews in git log',
    details: [
      "It asks nothing, and leaves an existing .blueflame.yml as it is. When it writes one, it looks for tests in the project's files and tries them once, in a sandbox, on the commit that is checked out: first without the project's dependencies and, if that fails, with them installed (only the setup reaches their registry). A test that fails stays as a comment.",
      'The hooks judge commits on task branches and in their worktrees. Every other commit passes, unless validation.commit_format.apply_to is all. Existing hooks (husky, lefthook, pre-commit, your own) run first, and can still refuse a commit.',
      "With git config blueflame.pushState true, git push also sends refs/blueflame/*, except for rescues. It sends none of them while a part can't be read here. The push itself is never stopped.",
      'git flame records what it changes in the repository, and --uninstall restores it byte for byte.',
    ],
    options: {
      hooks: { kind: 'no-flag', summary: 'install no git hooks' },
      try: { kind: 'no-flag', summary: "propose the project's tests without trying them" },
      uninstall: { kind: 'flag', summary: "undo what git flame changed in this repository's git" },
      base: {
        kind: 'text',
        value: 'BRANCH',
        summary: 'branch the work lands on (the one that is checked out)',
      },
      name: { kind: 'text', value: 'NAME', summary: 'name of the project' },
    },
    examples: [
      { command: 'git flame init', does: 'prepare this repository' },
      { command: 'git flame init --no-hooks --base main', does: 'install no hooks; the work lands on main' },
      { command: 'git flame init --uninstall', does: 'restore hooks and settings' },
    ],
  },
  doctor: {
    load: () => import('../../commands/doctor/doctor.ts'),
    summary: 'Test what is enforced on this machine, and find broken state and leftovers',
    details: [
      'It tests each phase of enforcement by using it: calls to the watcher, a cell that tries to get out, cells that use too much, a branch that breaks rules. It spends no tokens. It ends with 1 if something that work needs is missing.',
      "--repair repairs refs/blueflame/* as far as that loses nothing, and checks only the state and leftovers. A ref that holds something else goes back to its last sound commit, a note that can't be read goes back to its last version that can, and the lock of a git process that has ended is removed. What a ref held is kept at refs/blueflame-backup/*.",
      '--remote pushes two refs below refs/blueflame/machines/ to the remote and removes them again. With --dry-run it pushes nothing.',
    ],
    options: {
      repair: { kind: 'flag', summary: 'repair the state; with --dry-run, list the repairs' },
      remote: {
        kind: 'optional',
        value: 'REMOTE',
        summary: 'test whether machines can share a session through this remote',
      },
    },
    examples: [
      { command: 'git flame doctor', does: 'check this machine and the state' },
      { command: 'git flame doctor --repair', does: 'repair what is broken in the state' },
      {
        command: 'git flame doctor --remote origin',
        does: 'check whether machines can share a session there',
      },
      { command: 'git flame doctor --json', does: 'print JSON for scripts' },
    ],
  },
  trust: {
    load: () => import('../../commands/trust/trust.ts'),
    summary: "Show what this repository's files would run as you or show to agents, and allow it",
    details: [
      "It asks about everything that runs as you or gives agents more: hooks and adapters.*.command, with the files they name (also through scripts of package.json, Makefile and the like); templates in .blueflame/templates; project.setup, copy and link; superpowers.plugin_dir; a worktree_dir outside the repository; sandbox.read_paths; values of limits, sandbox and permissions that are looser than the built-in ones; models.prices; trust.*. If a hook's command doesn't show what it runs, every program of the repository counts. A configuration without any of these asks for nothing.",
      'Commands that start something ask the same at a terminal, and end with 2 elsewhere.',
      'You allow exactly the content that was shown, for one clone and one configuration file, until a byte of it changes. The permission is kept below $XDG_STATE_HOME/git-flame (~/.local/state/git-flame). What an allowed script runs in turn is not checked.',
    ],
    operand: { usage: '[DIR]', kind: 'one' },
    subcommands: [
      { name: 'ask', summary: 'show it, and ask whether you allow it' },
      { name: 'list', summary: 'list everything you allowed on this machine' },
      { name: 'revoke', summary: 'withdraw what you allowed for this clone, or for the one in DIR' },
    ],
    options: { yes: { kind: 'flag', summary: 'allow it without a question; it is still shown' } },
    examples: [
      { command: 'git flame trust', does: 'see what would run, and decide' },
      { command: 'git flame trust --yes', does: 'allow it where there is no terminal, as in CI' },
      { command: 'git flame trust revoke', does: 'withdraw it; the next command asks again' },
    ],
    exitCodes: [
      { code: 1, means: 'you refused, or there was nothing to withdraw' },
      { code: 2, means: 'not allowed yet, and no terminal to ask at' },
    ],
  },
  config: {
    load: () => import('../../commands/config.ts'),
    summary: 'Show, migrate or describe the configuration',
    details: [],
    subcommands: [
      { name: 'show', summary: 'print the effective values' },
      { name: 'migrate', summary: 'convert an older file to the current version; comments stay' },
      { name: 'schema', summary: 'print the JSON Schema of the file' },
      { name: 'example', summary: 'print a file with every key, its default and its purpose' },
    ],
    options: { write: { kind: 'flag', summary: 'migrate: rewrite the file instead of printing it' } },
    examples: [
      { command: 'git flame config', does: 'show the effective values' },
      { command: 'git flame config migrate --write', does: 'rewrite an older file' },
    ],
  },
  policy: {
    load: () => import('../../commands/policy.ts'),
    summary: 'Test the rules that agents work under',
    details: [
      "check decides the call you name: a tool and its target, such as Write src/a.ts or Bash 'git push'. Words that don't begin with a tool are a command line. It ends with 1 if the call is blocked.",
      'Without a call, it reads tool calls from standard input, one JSON object per line, and answers each with one JSON object per line: {decision, rule, details}.',
    ],
    operand: { usage: '[TOOL] [TARGET]', kind: 'words' },
    subcommands: [{ name: 'check', summary: 'decide one tool call, or those from standard input' }],
    needsSubcommand: true,
    options: {
      role: { kind: 'text', value: 'ROLE', summary: 'planner, worker, validator, merger or queen (worker)' },
      locks: { kind: 'list', value: 'A,B', summary: 'file locks of the task, separated by commas' },
      worktree: { kind: 'text', value: 'DIR', summary: 'folder the agent works in (the current one)' },
    },
    examples: [
      { command: 'git flame policy check Write .env', does: 'check whether an agent may write this file' },
      {
        command: "git flame policy check Bash 'npm test && git push'",
        does: 'check whether it may run this command line',
      },
      {
        command: 'git flame policy check --role worker --locks src/ <calls.jsonl',
        does: 'decide recorded calls',
      },
    ],
  },
  completion: {
    load: () => import('../../commands/completion/completion.ts'),
    summary: 'Print the script that completes git flame in a shell',
    details: [
      'Load it from the start file of your shell; the script names it. At each TAB the shell asks the program what may follow: commands, options, and the current tasks, sessions, agents and changesets.',
    ],
    subcommands: [
      { name: 'bash', summary: 'source <(git flame completion bash) in ~/.bashrc' },
      { name: 'zsh', summary: 'source <(git flame completion zsh) in ~/.zshrc, after compinit' },
      { name: 'fish', summary: 'in ~/.config/fish/conf.d/git-flame.fish' },
    ],
    needsSubcommand: true,
    options: {},
    examples: [{ command: 'git flame completion bash', does: 'print the script for bash' }],
  },
} satisfies Partial<CommandTable>;
