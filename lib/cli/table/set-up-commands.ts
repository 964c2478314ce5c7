import type { CommandTable } from '../command-spec.ts';

/** Commands that prepare a repository and try out its rules. In the order help shows them. */
export const setUpCommands = {
  init: {
    load: () => import('../../commands/init/init.ts'),
    summary: 'Prepare a repository: .blueflame.yml, git hooks, and git set up to show reviews',
    details:
      'Leaves an existing .blueflame.yml as it is and asks nothing. Where it writes one, it proposes what the files of the project say of its tests, and tries them once in a sandbox on the commit that is checked out: without the dependencies of the project, and where they fail, with them (their registry is reached by the setup alone). What fails is left as a comment. The hooks judge commits on task branches and in their worktrees; every other commit passes, unless validation.commit_format.apply_to is all. Hooks that are there already (husky, lefthook, pre-commit, your own) run first, and what they say counts. With git config blueflame.pushState true, git push also sends refs/blueflame/*, except for rescues, and none of it while a part cannot be read here; the push itself is never stopped. What git flame changed in the repository is recorded, and --uninstall takes it back byte for byte.',
    options: {
      hooks: { kind: 'no-flag', summary: 'install no git hooks' },
      try: { kind: 'no-flag', summary: 'propose the checks of the project without trying them' },
      uninstall: { kind: 'flag', summary: 'take back what git flame changed in the git of this repository' },
      base: { kind: 'text', value: 'BRANCH', summary: 'branch the work lands on' },
      name: { kind: 'text', value: 'NAME', summary: 'name of the project' },
    },
    examples: [
      { command: 'git flame init', does: 'prepare this repository' },
      { command: 'git flame init --no-hooks --base main', does: 'leave hooks as they are' },
      { command: 'git flame init --uninstall', does: 'bring back hooks and settings as they were' },
    ],
  },
  doctor: {
    load: () => import('../../commands/doctor/doctor.ts'),
    summary: 'Try out what is enforced here, and look for what is broken or left over',
    details:
      'Each phase of enforcement is tried, not looked up: calls to the watcher, a cell that tries to get out, cells that use too much, a branch that breaks rules. Spends no tokens. Ends with 1 when something that work needs is missing. With --repair, what is wrong on refs/blueflame/* is repaired as far as that loses nothing, and only state and leftovers are looked at: a ref that holds something else goes back to where it last was sound, a note that cannot be read goes back to its last version that can, and a lock of a git that is gone is removed. What a ref held is kept at refs/blueflame-backup/*. With --remote, two refs below refs/blueflame/machines/ are pushed there and taken away again; with --dry-run nothing is pushed.',
    options: {
      repair: { kind: 'flag', summary: 'repair the state; with --dry-run, say what would be done' },
      remote: {
        kind: 'optional',
        value: 'REMOTE',
        summary: 'try whether machines can share a session through this remote, and who is there',
      },
    },
    examples: [
      { command: 'git flame doctor', does: 'see whether this machine is fit and the state is sound' },
      { command: 'git flame doctor --repair', does: 'repair what is broken in the state' },
      { command: 'git flame doctor --remote origin', does: 'see whether machines can share a session there' },
      { command: 'git flame doctor --json', does: 'the same for scripts' },
    ],
  },
  trust: {
    load: () => import('../../commands/trust/trust.ts'),
    summary: "Show what this repository's files make run as you or show to agents, and allow it",
    details:
      'Asks about all that runs as you or widens what agents may do: hooks and adapters.*.command, with the files they name (also through scripts of package.json, Makefile and the like); templates in .blueflame/templates; project.setup, copy and link; superpowers.plugin_dir, a worktree_dir outside the repository and sandbox.read_paths; values of limits, sandbox and permissions that are looser than the built-in ones; models.prices; trust.*. Where the words of a hook do not say what it runs, every program of the repository counts. A configuration without these asks for nothing. Commands that start something ask by themselves at a terminal, and end with 2 elsewhere. Exactly the content that was shown is allowed, for one clone and one configuration file, until a byte of it changes. The permission is kept below $XDG_STATE_HOME/git-flame (~/.local/state/git-flame). What an allowed script runs in turn is not looked at.',
    operand: { usage: '[DIR]', kind: 'one' },
    subcommands: [
      { name: 'ask', summary: 'show what is asked for, and ask whether it is allowed' },
      { name: 'list', summary: 'list everything you allowed on this machine' },
      { name: 'revoke', summary: 'take back what you allowed for this clone, or for the one in DIR' },
    ],
    options: { yes: { kind: 'flag', summary: 'allow it without being asked; it is still shown' } },
    examples: [
      { command: 'git flame trust', does: 'look at what would run, and decide' },
      { command: 'git flame trust --yes', does: 'allow it where there is no terminal, as in CI' },
      { command: 'git flame trust revoke', does: 'be asked again' },
    ],
    exitCodes: [
      { code: 1, means: 'you said no, or there was nothing to take back' },
      { code: 2, means: 'not allowed yet, and no person could be asked' },
    ],
  },
  config: {
    load: () => import('../../commands/config.ts'),
    summary: 'Show, migrate or describe the configuration',
    details: '',
    subcommands: [
      { name: 'show', summary: 'print the effective values' },
      { name: 'migrate', summary: 'bring an older file to this version, comments kept' },
      { name: 'schema', summary: 'print the JSON Schema of the file' },
      { name: 'example', summary: 'print a file with every key, its default and what it is for' },
    ],
    options: { write: { kind: 'flag', summary: 'migrate: rewrite the file instead of printing it' } },
    examples: [
      { command: 'git flame config', does: 'what is in force' },
      { command: 'git flame config migrate --write', does: 'rewrite an older file' },
    ],
  },
  policy: {
    load: () => import('../../commands/policy.ts'),
    summary: 'Try the rules agents work under',
    details:
      "check decides the call you name: a tool and what it is about, such as Write src/a.ts, or Bash 'git push'; words that begin with no tool are a command line. It ends with 1 where the call is blocked. Without any it reads tool calls from standard input, one JSON object per line, and answers one JSON object per line: {decision, rule, details}.",
    operand: { usage: '[TOOL] [TARGET]', kind: 'words' },
    subcommands: [{ name: 'check', summary: 'decide a tool call, or those read from standard input' }],
    needsSubcommand: true,
    options: {
      role: { kind: 'text', value: 'ROLE', summary: 'planner, worker, validator, merger or queen (worker)' },
      locks: { kind: 'list', value: 'A,B', summary: 'file locks of the task, separated by commas' },
      worktree: { kind: 'text', value: 'DIR', summary: 'folder the agent works in (this one)' },
    },
    examples: [
      { command: 'git flame policy check Write .env', does: 'may an agent write this file?' },
      { command: "git flame policy check Bash 'npm test && git push'", does: 'may it run this?' },
      {
        command: 'git flame policy check --role worker --locks src/ <calls.jsonl',
        does: 'decide recorded calls',
      },
    ],
  },
  completion: {
    load: () => import('../../commands/completion/completion.ts'),
    summary: 'Print the script that completes git flame in a shell',
    details:
      'Put it where your shell reads it at its start; the script says where. At each TAB the program is asked what may follow: commands, options, and the present tasks, sessions, agents and changesets.',
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
