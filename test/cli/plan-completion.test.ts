import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CommandSpec, OptionSpec } from '../../lib/cli/command-spec.ts';
import { commandTable, globalOptionSpecs } from '../../lib/cli/command-table.ts';
import { findPlaceholderSource, planCompletion } from '../../lib/cli/print-completions.ts';
import { listShownCommands } from '../../lib/cli/render-help.ts';
import type { CommandName } from '../../lib/domain/view-models/command.ts';

/** What may stand at the end of a line; `''` at its end: a new word. */
function offers(...line: readonly string[]): unknown {
  const { source } = planCompletion(line.slice(0, -1), line.at(-1) ?? '');
  if (source.kind === 'words') return source.words.map(({ word }) => word);
  return source.kind === 'names' ? source.of : source.kind;
}

test('CLI-1: every command for people is offered, and described', () => {
  assert.equal(offers(''), listShownCommands());
  assert.equal(offers('--json', ''), listShownCommands());
  assert.equal(offers('help', ''), listShownCommands());
  const { source } = planCompletion([], '');
  assert.ok(source.kind === 'words' && source.words.every(({ about }) => about !== ''));
});

test('CLI-1: subcommands, then operands', () => {
  assert.equal(offers('rescue', ''), ['list', 'show', 'restore', 'drop']);
  assert.equal(offers('rescue', 'show', ''), ['rescue']);
  assert.equal(offers('rescue', 'show', 'x', ''), 'nothing');
  assert.equal(offers('completion', ''), ['bash', 'zsh', 'fish']);
  assert.equal(offers('show', ''), ['task', 'agent', 'changeset', 'session']);
  assert.equal(offers('resume', ''), ['session']);
  assert.equal(offers('sync', ''), ['remote']);
  assert.equal(offers('run', 'some', ''), 'nothing');
  assert.equal(offers('no-such-command', ''), 'nothing');
});

test("CLI-1: a command's own options come first, none twice", () => {
  const flags = offers('init', '--no-hooks', '-') as readonly string[];
  assert.equal(flags.slice(0, 4), ['--no-try', '--uninstall', '--base', '--name']);
  assert.ok(flags.includes('--dry-run') && flags.includes('-C'));
  assert.not(flags.includes('--no-hooks'));
  assert.equal(offers('run', '--', '-'), 'nothing');
});

test('CLI-1: values of options, beside them or behind =', () => {
  assert.equal(offers('plan', '--from', ''), 'files');
  assert.equal(offers('-C', ''), 'folders');
  assert.equal(offers('status', '--session', ''), ['session']);
  assert.equal(offers('review', '--changeset=au'), ['changeset']);
  assert.equal(offers('init', '--base', ''), ['branch']);
  assert.equal(offers('policy', 'check', '--role', ''), ['planner', 'worker', 'validator', 'merger', 'queen']);
  assert.equal(offers('review', '--reject', ''), 'nothing');
  assert.equal(offers('stats', '--format', ''), commandTable.stats.options.format.choices);
  assert.equal(offers('task', 'edit', '--needs', 'task-001,'), ['task']);
  assert.is(planCompletion(['task', 'edit', '--needs'], 'task-001,ta').before, 'task-001,');
  const { before, typed } = planCompletion(['review'], '--changeset=au');
  assert.equal([before, typed], ['--changeset=', 'au']);
});

test('CLI-1: a value is never taken for the command, and says where to look', () => {
  const { directory, session } = planCompletion(['-C', 'plan', '--session', 'ses-1', 'show'], '');
  assert.equal([directory, session], ['plan', 'ses-1']);
  assert.equal(offers('-C', 'plan', 'show', ''), ['task', 'agent', 'changeset', 'session']);
});

test('it is known of every placeholder what it stands for', () => {
  const names = Object.keys(commandTable) as CommandName[];
  const specs: readonly CommandSpec<CommandName>[] = names.map((name) => commandTable[name]);
  const tables: readonly Readonly<Record<string, OptionSpec>>[] = [
    globalOptionSpecs,
    ...specs.map(({ options }) => options),
  ];
  const placeholders = [
    ...specs.flatMap(({ operand }) => (operand === undefined ? [] : [operand.usage])),
    ...tables.flatMap((table) =>
      Object.values(table).flatMap(({ value, choices }) =>
        value === undefined || choices !== undefined ? [] : [value],
      ),
    ),
  ];
  const unknown = placeholders.filter((placeholder) => findPlaceholderSource(placeholder) === null);
  assert.equal(unknown, [], 'lib/cli/print-completions.ts has to say what may stand there');
});

test.run();
