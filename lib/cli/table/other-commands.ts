import type { CommandTable } from '../command-spec.ts';

/** Commands that belong to no group. In the order help shows them. */
export const otherCommands = {
  demo: {
    load: () => import('../../commands/demo/demo.ts'),
    summary: 'Run a whole cycle on a throw-away repository with scripted agents',
    details: ['Needs no account and no network.'],
    options: {
      keep: { kind: 'flag', summary: 'keep the repository and print its path' },
      dir: { kind: 'text', value: 'DIR', summary: 'make the repository in this folder (a temporary one)' },
    },
    examples: [{ command: 'git flame demo --keep', does: 'inspect the result afterwards' }],
  },
  mcp: {
    load: () => import('../../commands/mcp/mcp.ts'),
    summary: 'Let the model of your own chat lead a session, over the Model Context Protocol',
    details: [
      'A chat that is set up for it starts this command, which speaks the protocol on stdin and stdout. The model may propose tasks, have approved ones worked on, look at the results, approve or reject them, and hand the work over. You approve the plan (git flame plan) and land the work (git flame review); queen in .blueflame.yml sets what else it may do.',
      'Several may run at once; one of them leads a session. --print shows how to connect claude, codex, gemini, opencode, kimi and copilot: the command, or the lines for their settings.',
    ],
    options: {
      print: { kind: 'optional', value: 'CHAT', summary: 'print how to connect a chat, or each of them' },
    },
    examples: [
      { command: 'git flame mcp', does: 'speak the protocol; a chat starts it, not you' },
      { command: 'git flame mcp --print codex', does: 'print the lines for the settings of codex' },
    ],
  },
  hook: {
    load: () => import('../../commands/hook/hook.ts'),
    isHidden: true,
    summary: 'Judge a commit that is about to be made',
    details: [
      'The installed git hooks call this. Exit code 3 refuses the commit, or leaves the state out of a push; with every other code the commit passes.',
    ],
    subcommands: [
      { name: 'commit-msg', summary: 'judge the message in FILE' },
      { name: 'pre-commit', summary: 'judge what is staged' },
      { name: 'pre-push', summary: 'judge the state that is pushed to the remote FILE' },
    ],
    needsSubcommand: true,
    operand: { usage: '[FILE]', kind: 'one' },
    options: {},
    examples: [{ command: 'git flame hook pre-commit', does: 'judge what is staged' }],
  },
  help: {
    summary: 'Print help about git flame or one command',
    details: [],
    operand: { usage: '[COMMAND]', kind: 'one' },
    options: {},
    examples: [{ command: 'git flame help plan', does: 'the same as git flame plan -h' }],
  },
} satisfies Partial<CommandTable>;
