import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withBoard } from '../support/board.ts';
import { makeExecProject, writePlan } from '../support/exec-project.ts';
import { flameJson } from '../support/flame.ts';
import { answerGate, nextGate } from '../support/gates.ts';
import { runProgram } from '../support/program.ts';
import type { TestRepo } from '../support/repo.ts';
import { testIf } from '../support/skip.ts';
import { hasTmux, openTerminal, type Terminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';

// What stands at a terminal, or in a tab, while another place decides the same.

const tasks = ['one', 'two'].map((name) => ({
  id: name,
  script: `echo 1 > ${name}.txt`,
  locks: [`${name}.txt`],
  group: name,
}));
const live = testIf(test, hasTmux, 'tmux is not installed');

interface AtTerminal {
  readonly repo: TestRepo;
  readonly terminal: Terminal;
  /** Answers what is open, by a command. */
  answer(...words: string[]): Promise<void>;
  /** A file that is there while the program of the test's script waits, and one that lets it go on. */
  readonly waits: string;
  readonly goesOn: string;
}

/** A run at a terminal; editor and pager are a script that does something and waits. */
async function atTerminal(does: string, work: (at: AtTerminal) => Promise<void>): Promise<void> {
  const repo = makeExecProject();
  const [waits, goesOn] = [join(repo.path, '.git/waits'), join(repo.path, '.git/goes-on')];
  const script = join(repo.path, '.git/program.sh');
  const lines = [does, `touch '${waits}'`, `while [ ! -e '${goesOn}' ]; do sleep 0.1; done`];
  writeFileSync(script, `${lines.join('\n')}\n`);
  const terminal = openTerminal(repo, { columns: 120, rows: 50 });
  try {
    const program = `sh ${script}`;
    const plan = writePlan(repo, tasks);
    terminal.type(`GIT_EDITOR='${program}' GIT_PAGER='${program}' git flame run Count --from ${plan}`, 'Enter');
    await terminal.until(/\(q\)uit\?/);
    const answer = async (...words: string[]): Promise<void> => {
      const { lines: listed } = await flameJson(repo, ['answer']);
      const [gate] = (listed[0] as { readonly gates: readonly { readonly id: string }[] }).gates;
      const { code, stderr } = await runProgram(repo, ['answer', gate?.id ?? '', ...words]);
      assert.is(code, 0, stderr);
    };
    await work({ repo, terminal, answer, waits, goesOn });
  } finally {
    writeFileSync(goesOn, '');
    terminal.close();
  }
}

live(
  'a plan that is open in the editor while another place approves it stays as approved; what was typed is kept',
  async () => {
    await atTerminal('sed -i "s/Do one/Do it otherwise/" "$1"', async ({ repo, terminal, answer, waits, goesOn }) => {
      terminal.type('e', 'Enter');
      await until('the editor is open', () => existsSync(waits));
      await answer('approve');
      writeFileSync(goesOn, '');
      const screen = await terminal.until(/your text is in[\s\S]*Decided by a command: the plan, approved\./);
      const file = /your text is in (\S+)/.exec(screen.replaceAll('\n', ''))?.[1] ?? '';
      assert.match(readFileSync(file.replace(/Decided.*$/, ''), 'utf8'), 'Do it otherwise');
      await terminal.until(/Changeset 1\/2/);
      const { lines } = await flameJson(repo, ['status']);
      assert.not.match(JSON.stringify(lines), 'Do it otherwise');
    });
  },
);

live(
  'a changeset that is open in the pager while another place approves it is approved once the pager is left',
  async () => {
    await atTerminal('cat >/dev/null', async ({ terminal, answer, waits, goesOn }) => {
      terminal.type('a', 'Enter');
      await terminal.until(/Changeset 1\/2[\s\S]*kip.*\?/);
      terminal.type('v', 'Enter');
      await until('the pager is open', () => existsSync(waits));
      await answer('approve');
      writeFileSync(goesOn, '');
      await terminal.until(/Decided by a command: changeset one, approved\.[\s\S]*Changeset 2\/2[\s\S]*kip.*\?/);
    });
  },
);

live('an editor that fails changes nothing, and the question stands as it was', async () => {
  await atTerminal('echo typed >> "$1"; exit 3', async ({ terminal, answer }) => {
    terminal.type('e', 'Enter');
    await terminal.until(/The editor ended with 3\.[\s\S]*your text is in[\s\S]*\(q\)uit\?/);
    await answer('approve');
    await terminal.until(/Decided by a command: the plan, approved\.[\s\S]*Changeset 1\/2/);
  });
});

live('a terminal that is closed under a question ends its run, and the question is asked again', async () => {
  await atTerminal('true', async ({ repo, terminal }) => {
    terminal.close();
    await until('nothing is asked', async () => {
      const { lines } = await flameJson(repo, ['answer']);
      return JSON.stringify(lines[0]).includes('"gates":[]');
    });
    await withBoard(
      repo,
      async (board) => {
        assert.is(await answerGate(board, await nextGate(board, 'plan'), { kind: 'approve' }), '');
        await nextGate(board, 'changesets');
      },
      ['run', '--web', '--no-open'],
    );
  });
});

test('a tab that slept over many decisions is told what was decided about its own', async () => {
  const repo = makeExecProject();
  const argv = ['run', 'Count', '--from', writePlan(repo, tasks), '--web', '--no-open'];
  await withBoard(
    repo,
    async (board) => {
      const first = await nextGate(board, 'plan');
      let gate = first;
      const { value } = await board.ask(`/api/gate/${gate.id}/plan`);
      const { text } = value as { readonly text: string };
      for (let count = 0; count < 25; count += 1) {
        assert.is(await answerGate(board, gate, { kind: 'edit', text: text.replace('Do one', `Do ${count}`) }), '');
        gate = await nextGate(board, 'plan', gate.id);
      }
      const late = await answerGate(board, first, { kind: 'approve' });
      assert.match(late, 'the plan was already decided on the board');
      const typed = await runProgram(repo, ['answer', first.id, 'quit']);
      assert.match(typed.stderr, 'the plan was already decided on the board');
    },
    argv,
  );
});

test.run();
