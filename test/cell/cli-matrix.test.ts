import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readProvenVersions } from '../../lib/commands/doctor/examine-programs.ts';
import { modelCliNames } from '../../lib/domain/config/known-clis.ts';
import { shownRoles } from '../support/proven-table.ts';

// What the tests beside this one have shown of each CLI, as the table that `git flame doctor` reads holds it.

const columns = {
  shell: /^shell: judged$/,
  edit: /^edit: judged$/,
  'sub-agent': /^sub-agent: not offered, and refused$/,
  'MCP tool': /^MCP server: not offered, and refused$/,
  'second shell': /^second shell tool: not offered, and refused$/,
  'hook killed': /^hook killed: the (?:agent is ended|call is refused)$/,
  'hook replaced': /^hook replaced: the agent is ended$/,
  'hook stopped': /^hook stopped: nothing runs$/,
  'no hook': /^hook not there: no request is sent$/,
  budget: /^budget: the next request was not sent$/,
  key: /^key: stays outside$/,
  'API by itself': /^what the \w+ API would do by itself: refused, and in the audit$/,
  refused: /^refused by the service: told at once$/,
  hangs: /^no answer at all: ended when its time is over$/,
  settings: /^settings, plugins and servers of repository and person: not loaded$/,
} as const;

test('WAT-1 WAT-2 UNI-8: of every CLI each way past the watcher was tried, and none held', () => {
  const proven = readProvenVersions();
  const rows = modelCliNames.map((name) => {
    const known = proven.get(name);
    const shown = Object.values(columns).map((wanted) => known?.proven.find((one) => wanted.test(one)) ?? '-');
    return [`${name} ${known?.version}`, ...shown.map((one) => one.replace(/^.*?: /, ''))];
  });
  const table = [['', ...Object.keys(columns)], ...rows].map((row) => row.join(' | ')).join('\n');
  process.stdout.write(`${table}\n`);
  assert.equal(
    rows.filter((row) => row.includes('-')),
    [],
    table,
  );
});

test('ADP-1 QUE-1: every CLI was seen in every role, through a whole session', () => {
  // How long opencode takes to lead alone: test/e2e/led-by-others says how it is tried.
  const missing = modelCliNames.flatMap((name) => {
    const roles = readProvenVersions().get(name)?.roles ?? [];
    return shownRoles
      .filter((role) => !roles.some((line) => line.startsWith(`${role}: `)))
      .map((role) => `${name}: ${role}`);
  });
  assert.equal(missing, []);
});

test.run();
