import type { CommandTable, GlobalOptionSpecs } from './command-spec.ts';
import { otherCommands } from './table/other-commands.ts';
import { queueCommands } from './table/queue-commands.ts';
import { readCommands } from './table/read-commands.ts';
import { retentionCommands } from './table/retention-commands.ts';
import { reviewCommands } from './table/review-commands.ts';
import { runCommands, waveCommands } from './table/run-commands.ts';
import { setUpCommands } from './table/set-up-commands.ts';

/** Every command, in the order help shows them. Described only here and in the groups of `table/`. */
export const commandTable: CommandTable = {
  ...setUpCommands,
  ...waveCommands,
  ...reviewCommands,
  ...runCommands,
  ...readCommands,
  ...queueCommands,
  ...retentionCommands,
  ...otherCommands,
};

/** Options that every command takes, before or after its name. */
export const globalOptionSpecs: GlobalOptionSpecs = {
  directory: { kind: 'text', short: 'C', value: 'DIR', summary: 'run as if started in DIR' },
  config: { kind: 'text', value: 'FILE', summary: 'use this configuration file' },
  session: { kind: 'text', value: 'SESSION', summary: 'work on this session instead of the current one' },
  decisionsFile: { kind: 'text', value: 'FILE', summary: 'take the answers to questions from this file' },
  dryRun: { kind: 'flag', summary: 'show what would happen; start and change nothing' },
  json: { kind: 'flag', summary: 'print JSON: one document, or one event per line' },
  plain: { kind: 'flag', summary: 'no color, no wrapping, nothing redrawn' },
  quiet: { kind: 'flag', short: 'q', summary: 'print only warnings, failures and results' },
  color: { kind: 'yes-no', summary: 'always use color, or never' },
  debug: { kind: 'flag', summary: 'show the stack of an unexpected error' },
  version: { kind: 'flag', short: 'v', summary: 'print the version' },
  help: { kind: 'flag', short: 'h', summary: 'print help' },
};

/** Meanings of exit codes, for every command. */
export const exitCodeTable: readonly { readonly code: number; readonly means: string }[] = [
  { code: 0, means: 'done' },
  { code: 1, means: 'something failed or was refused' },
  { code: 2, means: 'waits for a person; the next command is printed' },
  { code: 128, means: 'cannot work here: no repository, or a bad configuration' },
  { code: 129, means: 'the command line is wrong' },
  { code: 130, means: 'interrupted; everything is saved' },
  { code: 141, means: 'the output was not read to its end, as with git' },
];
