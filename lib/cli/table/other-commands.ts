import type { CommandTable } from '../command-spec.ts';

/** Commands that belong to no group. In the order help shows them. */
export const otherCommands = {
  demo: {
    load: () => import('../../commands/demo/demo.ts'),
    summary: 'Run a whole cycle on a throw-away repository with scripted agents',
    details: 'Needs no account and no network.',
    options: {
      keep: { kind: 'flag', summary: 'keep the repository and say where it is' },
      dir: { kind: 'text', value: 'DIR', summary: 'make the repository here (a temporary folder)' },
    },
    examples: [{ command: 'git flame demo --keep', does: 'look at the result afterwards' }],
  },
  mcp: {
    load: () => import('../../commands/mcp/mcp.ts'),
    summary: 'Let the model of your own chat lead a session, by the Model Context Protocol',
    details:
      'Started by a chat that was told of it, it speaks the protocol on stdin and stdout. The model may propose tasks, have approved ones worked on, look at what comes out, approve or reject it, and hand it over. You approve the plan (git flame plan) and land the work (git flame review); queen in .blueflame.yml says what else is left to it. Several may run at once, one of them leads a session. --print shows how to connect claude, codex, gemini, opencode, kimi and copilot: the command, or the lines for their settings.',
    options: {
      print: { kind: 'optional', value: 'CHAT', summary: 'print how a chat is told of it, or each of them' },
    },
    examples: [
      { command: 'git flame mcp', does: 'speak the protocol; a chat starts it, not you' },
      { command: 'git flame mcp --print codex', does: 'the lines for its settings' },
    ],
  },
  hook: {
    load: () => import('../../commands/hook/hook.ts'),
    isHidden: true,
    summary: 'Judge a commit that is about to be made',
    details:
      'Called by the installed git hooks. Exit code 3 refuses the commit, or the state beside a push; every other code lets a commit pass.',
    subcommands: [
      { name: 'commit-msg', summary: 'judge the message in FILE' },
      { name: 'pre-commit', summary: 'judge what is staged' },
      { name: 'pre-push', summary: 'judge the state that goes along to the remote FILE' },
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
} satisfies Partial<CommandTable>;
