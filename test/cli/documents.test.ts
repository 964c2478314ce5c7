import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type CommandSpec, listOptionFlags, type OptionSpec } from '../../lib/cli/command-spec.ts';
import { commandTable, globalOptionSpecs } from '../../lib/cli/command-table.ts';
import { renderManPage, updateCommandTableInPage } from '../../lib/cli/render-documents.ts';
import { listShownCommands } from '../../lib/cli/render-help.ts';
import type { CommandName } from '../../lib/domain/view-models/command.ts';
import { testIf } from '../support/skip.ts';

// With FLAME_UPDATE=1 what is stale is written anew.
const isUpdating = process.env.FLAME_UPDATE === '1';
const manPage = 'bin/man/man1/git-flame.1';
const version: string = JSON.parse(readFileSync('package.json', 'utf8')).version;
const names = Object.keys(commandTable) as CommandName[];

test('the man page is up to date (mend: FLAME_UPDATE=1 node build/test/run.js cli/documents)', () => {
  const fresh = renderManPage(version);
  if (isUpdating) writeFileSync(manPage, fresh);
  assert.is(readFileSync(manPage, 'utf8'), fresh);
});

const groff = spawnSync('groff', ['--version']);
testIf(
  test,
  groff.status === 0,
  'groff is missing: the man page is not checked',
)('groff finds no fault with the man page', () => {
  const checked = spawnSync('groff', ['-man', '-Tutf8', '-ww', '-z', manPage], { encoding: 'utf8' });
  assert.equal([checked.status, checked.stderr], [0, '']);
});

const man = spawnSync('man', ['--version']);
testIf(
  test,
  man.status === 0,
  'man is missing: git finds no manual',
)('git help flame finds the manual where bin is on PATH', () => {
  const env = {
    PATH: `${join(process.cwd(), 'bin')}:${process.env.PATH}`,
    MANPAGER: 'cat',
    LC_ALL: 'C.UTF-8',
  };
  const shown = spawnSync('git', ['help', 'flame'], { encoding: 'utf8', env });
  assert.is(shown.status, 0, shown.stderr);
  assert.match(shown.stdout, 'lead coding agents from inside git');
});

testIf(
  test,
  man.status === 0,
  'man is missing: the man page is not shown',
)('man shows every command and option', () => {
  const shown = spawnSync('man', ['-l', manPage], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', MANWIDTH: '200', MANPAGER: 'cat', GROFF_NO_SGR: '1' },
  });
  assert.is(shown.status, 0);
  const text = shown.stdout.replace(/.\u0008/g, '');
  for (const name of listShownCommands()) {
    const spec: CommandSpec<CommandName> = commandTable[name];
    assert.ok(text.includes(`git flame ${name}`), `git flame ${name} is missing`);
    for (const { command } of spec.examples) assert.ok(text.includes(command), `${command} is missing`);
  }
});

test('the table of commands in docs/commands.md is up to date', () => {
  const path = 'docs/commands.md';
  const fresh = updateCommandTableInPage(readFileSync(path, 'utf8'));
  assert.ok(fresh !== null, `${path} has no <!-- commands --> … <!-- /commands -->`);
  if (isUpdating) writeFileSync(path, fresh);
  assert.is(readFileSync(path, 'utf8'), fresh);
});

test('the table of commands keeps what stands around it, and wants its markers', () => {
  const fresh = updateCommandTableInPage('# Title\n<!-- commands -->\nold\n<!-- /commands -->\nrest\n') ?? '';
  assert.match(fresh, /^# Title\n<!-- commands -->\n\| Command \| \|\n\|---\|---\|\n\| `git flame init` /);
  assert.match(fresh, /\[show\\\|migrate\\\|schema\\\|example\]/);
  assert.match(fresh, /\|\n<!-- \/commands -->\nrest\n$/);
  assert.not.match(fresh, /^old$/m);
  assert.is(updateCommandTableInPage('# Title\n'), null);
});

test('an option means the same in every command', () => {
  const seen = new Map<string, string>();
  const tables: readonly Readonly<Record<string, OptionSpec>>[] = [
    globalOptionSpecs,
    ...names.map((name) => commandTable[name].options),
  ];
  for (const specs of tables) {
    for (const [key, spec] of Object.entries(specs)) {
      const shape = `${key} ${spec.value === undefined ? 'without' : 'with'} a value`;
      for (const flag of listOptionFlags(key, spec)) {
        assert.is(seen.get(flag) ?? shape, shape, `${flag} has two meanings`);
        seen.set(flag, shape);
      }
    }
  }
});

test('every command that is there can be reached', () => {
  for (const name of names.filter((one) => existsSync(`lib/commands/${one}.ts`))) {
    const spec: CommandSpec<CommandName> = commandTable[name];
    assert.ok(spec.load !== undefined, `the command table has no load line for lib/commands/${name}.ts`);
  }
});

test('every command has a summary and an example that parses', () => {
  for (const name of names) {
    assert.not.match(commandTable[name].summary, /\.$/);
    assert.ok(commandTable[name].examples.length > 0);
    for (const { command } of commandTable[name].examples) {
      assert.ok(command.startsWith(`git flame ${name}`), command);
    }
  }
});

test.run();
