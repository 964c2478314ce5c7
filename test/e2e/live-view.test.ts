import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame } from '../support/flame.ts';
import type { TestRepo } from '../support/repo.ts';
import { testIf } from '../support/skip.ts';
import { hasTmux, openTerminal, type Terminal } from '../support/terminal.ts';

// The live view at a real terminal. Agents work until they are stopped, so nothing depends on how fast anything is.

const live = testIf(test, hasTmux, 'live-view: needs tmux');
let opened: Terminal[] = [];
test.after.each(() => {
  for (const terminal of opened) terminal.close();
  opened = [];
});

const endless = 'n=0; while :; do n=$((n+1)); echo "round $n"; sleep 0.3; done';
const isBack = /isig icanon [\s\S]* echo /;

interface Stage {
  readonly repo: TestRepo;
  readonly terminal: Terminal;
}

async function begin(
  scripts: readonly string[],
  size: {
    readonly columns?: number;
    readonly rows?: number;
    readonly jobs?: number;
    readonly shows?: RegExp;
  } = {},
): Promise<Stage> {
  const repo = makeExecProject({ config: { concurrency: { development: size.jobs ?? 4 } } });
  const ids = scripts.map((_, index) => `task-${index + 1}`);
  for (const id of ids) repo.write(`${id}.txt`, '');
  repo.commit('add files');
  const tasks = scripts.map((script, index) => ({
    id: ids[index] ?? '',
    script,
    locks: [`${ids[index]}.txt`],
    priority: index + 1,
  }));
  const plan = writePlan(repo, tasks);
  const decisions = writeDecisions(repo, { plan: ['approve'] });
  const terminal = openTerminal(repo, size);
  opened.push(terminal);
  terminal.type(`git flame run --from ${plan} --decisions-file ${decisions}`, 'Enter');
  await terminal.until(size.shows ?? /─ Tasks/);
  return { repo, terminal };
}

live('CLI-4: eight agents have a row each, with the keys below, and nothing else is drawn', async () => {
  const scripts = Array.from({ length: 8 }, () => endless);
  const { terminal } = await begin(scripts, { columns: 110, rows: 40, jobs: 8 });
  const screen = await terminal.until(/Do task-8 +task-8 +working +[\dm ]+s +round \d+[\s\S]*Tab panels .*\? help\n/);
  assert.equal(
    [...screen.matchAll(/Do task-\d +(task-\d) +working/g)].map(([, id]) => id),
    scripts.map((_, index) => `task-${index + 1}`),
  );
  assert.not.match(screen, /MaxListeners/);
  terminal.type('C-c');
  await terminal.until(/Stopped\. The agents have ended/);
});

live('CLI-4: a row per task with its state, time and last action; an agent is looked into and stopped', async () => {
  const { terminal } = await begin([endless, endless]);
  await terminal.until(
    /▸◐ Do task-1 +task-1 +working +[\dm ]+s +round[\s\S]*◐ Do task-2 +task-2 +working +[\dm ]+s +round/,
  );
  await terminal.until(
    /Tasks · 0 of 2 tasks done · 2 running ─[\s\S]*── Do task-1 · task-1 · working [\s\S]*round \d+\n/,
  );
  terminal.type('Down');
  await terminal.until(/▸◐ Do task-2[\s\S]*── Do task-2 · task-2/);
  terminal.type('Enter');
  await terminal.until(/▸─ Do task-2 · task-2 · working · worker-[0-9a-f]{8} · [\dm ]+s ─+\n {2}round \d+\n/);
  // What runs scripts asks no model that could be told.
  terminal.type('t');
  await terminal.until(/Message worker-[0-9a-f]{8} \(Enter, Esc\): _/);
  terminal.type('Keep it', 'Enter');
  await terminal.until(/message refused: it asks no model/);
  terminal.type('s');
  await terminal.until(/Stop task-2\? \(y\)es/);
  terminal.type('n', 's');
  await terminal.until(/Stop task-2/);
  terminal.type('y');
  // It is still looked at, now that it has ended, with what it printed.
  await terminal.until(/▸─ Do task-2 · task-2 · failed · [\s\S]*round \d+\n/);
  terminal.type('Escape');
  await terminal.until(/◐ Do task-1[\s\S]*▸✗ Do task-2 +task-2 +failed +[\dm ]+s/);
  terminal.type('BTab');
  await terminal.until(/▸─ Session ─[\s\S]*task-2: claimed -> failed/);
  terminal.type('q');
  await terminal.until(/Stop the run\? .*\(y\/n\)/);
  terminal.type('y');
  // What happened meanwhile is on the person's own screen.
  await terminal.until(/task-2: claimed -> failed[\s\S]*Stopped\. The agents have ended/);
  terminal.type('stty -a', 'Enter');
  await terminal.until(isBack);
  assert.is(terminal.ask('cursor_flag'), '1');
  assert.is(terminal.ask('alternate_on'), '0');
});

live('CLI-4: what a finished task has changed is read in the view, and a question waits for that', async () => {
  const { repo, terminal } = await begin(['echo new words > task-1.txt', endless], {
    jobs: 2,
  });
  await terminal.until(/Do task-1 +task-1 +done[\s\S]*Do task-2 +task-2 +working/);
  terminal.type('Up', 'd');
  await terminal.until(/▸─ Do task-1 · its diff ─[\s\S]*\+new words\n/);
  const stopped = await flame(repo, ['agent', 'stop', 'task-2', '--no-retry']);
  assert.is(stopped.code, 0, stopped.stderr);
  await terminal.until(/A question waits for you: a answers it/);
  terminal.type('a');
  const asked = await terminal.until(/\(a\)pprove .*\(s\)kip\?/);
  assert.match(asked, 'Changeset 1/1: [main] Do task-1');
  assert.is(terminal.ask('alternate_on'), '0');
});

live('WRK-6: no more agents start, and what is done goes on to review', async () => {
  const { repo, terminal } = await begin(['echo done > task-1.txt', endless, 'echo done > task-3.txt'], {
    jobs: 1,
  });
  await terminal.until(/▸◐ Do task-2 .*round/);
  terminal.type('g');
  await terminal.until(/continue with what is done\? \(y\/n\)/);
  terminal.type('y');
  await terminal.until(/No more agents start in this cycle\./);
  terminal.type('s', 'y');
  await terminal.until(/Changeset 1\/1: \[main\] Do task-1\n/);
  await terminal.until(/\(a\)pprove/);
  terminal.type('a', 'Enter');
  await terminal.until(/\(c\)ontinue/);
  terminal.type('c', 'Enter');
  // The next cycle starts agents again.
  await terminal.until(/Changeset 1\/1: \[main\] Do task-3\n/);
  terminal.type('a', 'Enter');
  await terminal.until(/re\(t\)ry/);
  terminal.type('s', 'Enter');
  await terminal.until(/Session ses-\S+ ended|The session has ended/);
  const { stdout } = await flame(repo, ['status']);
  assert.match(stdout, /task-1 +merged[\s\S]*task-2 +failed[\s\S]*task-3 +merged/);
});

live('it fits 40 columns and 12 lines, and a window of another size', async () => {
  const wide = 'echo "日本語の長い行がここにあって四十桁には入りませんけれども"';
  const { terminal } = await begin([`${wide}; ${endless}`, `${wide}; exec tail -f /dev/null`], {
    columns: 40,
    rows: 12,
  });
  await terminal.until(
    /▸◐ Do task-1 +working +[\dm ]+s [^\n]*\n ◐ Do task-2 +working +[\dm ]+s [^\n]*\n── Do task-1 [\s\S]*round \d+\n.*\? help/,
  );
  terminal.resize(76, 24);
  await terminal.until(/◐ Do task-2 +task-2 +working +[\dm ]+s +日本語[^\n]*…\n[\s\S]*── Session/);
  terminal.resize(30, 12);
  const small = await terminal.until(/◐ Do task… +working +[\dm ]+s\n[\s\S]*\? help/);
  assert.is(small.split('─ Tasks').length, 2, small);
});

live('what an agent prints does nothing to the terminal', async () => {
  const { terminal } = await begin([
    `printf 'a\\033[2J\\033]0;x\\007\\033[?25l\\342\\200\\256b\\n'; exec tail -f /dev/null`,
  ]);
  const seen = await terminal.until(/a␛\[2J␛]0;x␇␛\[\?25l⟦U\+202E⟧b/);
  assert.match(seen, '─ Tasks');
  assert.is(terminal.ask('cursor_flag'), '1');
});

live('Ctrl-Z gives the terminal back, fg takes it again', async () => {
  const { terminal } = await begin([endless]);
  await terminal.until(/▸◐ Do task-1 .*round/);
  terminal.type('C-z');
  await terminal.until(/Stopped/);
  terminal.type('clear; stty -a', 'Enter');
  await terminal.until(isBack);
  terminal.type('clear; fg', 'Enter');
  await terminal.until(/▸◐ Do task-1 .*round/);
  terminal.type('?');
  await terminal.until(/-Z draw again, suspend/);
  terminal.type('Escape', 'C-c');
  await terminal.until(/Stopped\. The agents have ended/);
});

live('Ctrl-Z at a question suspends git too', async () => {
  const { repo, terminal } = await begin(['echo done > task-1.txt'], { shows: /\(s\)kip\?/ });
  terminal.type('C-z');
  await terminal.until(/Stopped/);
  terminal.type('fg', 'Enter');
  await terminal.until(/fg\n[\s\S]*\(s\)kip\?/);
  terminal.type('a', 'Enter');
  await terminal.until(/task-1 {2}merged/);
  const { stdout } = await flame(repo, ['status']);
  assert.match(stdout, /task-1 +merged/);
});

live('a program that is killed leaves the cursor where it can be seen', async () => {
  const { terminal } = await begin([endless]);
  await terminal.until(/▸◐ Do task-1 .*round/);
  terminal.type('C-z');
  await terminal.until(/Stopped/);
  terminal.type('kill -9 %1; fg; echo status $?', 'Enter');
  await terminal.until(/status 137/);
  assert.is(terminal.ask('cursor_flag'), '1');
});

live('--plain and --quiet draw nothing', async () => {
  const repo = makeExecProject();
  const plan = writePlan(repo, [{ id: 'task-1', script: 'echo round; echo done > a.txt', locks: ['a.txt'] }]);
  const decisions = writeDecisions(repo, { plan: ['approve'], changesets: ['approve'] });
  const terminal = openTerminal(repo, { rows: 60 });
  opened.push(terminal);
  terminal.type(`clear; git flame run --plain --from ${plan} --decisions-file ${decisions}`, 'Enter');
  const seen = await terminal.until(/Session ses-\S+ ended|task-1 {2}merged/);
  assert.match(seen, /worker-[0-9a-f]{8}: round/);
  assert.is(seen.includes('? help'), false);
});

test.run();
