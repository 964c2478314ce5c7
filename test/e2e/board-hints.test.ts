import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { pageSuite, shot } from '../review-page/browser.ts';
import { boardAddress } from '../support/board.ts';
import { closeProjects, openClaudeProject } from '../support/claude-project.ts';
import { hands } from '../support/cli-hands.ts';
import { writePlan } from '../support/exec-project.ts';
import { enterNetworkNamespace, findClaude } from '../support/model-namespace.ts';
import { programEnd, startProgram } from '../support/program.ts';
import { startScriptedModel, type Turn } from '../support/scripted-model.ts';
import { testIf } from '../support/skip.ts';

// What a person tells an agent at work on the board, in a real browser, through the real client.

const place = findClaude() === null ? 'none' : enterNetworkNamespace();
const { claude } = hands;
const file = 'notes/one.txt';
const steps: readonly Turn[] = [
  { calls: [claude.write(file, 'one')] },
  { calls: [claude.run(`git add ${file}`)] },
  { calls: [claude.run('git commit -qm "feat: note"')] },
  { text: 'It is there.' },
];

function latch(): { readonly opened: Promise<void>; open(): void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

if (place !== 'outside') {
  const { test, visitUrl, run } = await pageSuite('hints on the board');
  const live = testIf(test as Test, place === 'inside', 'hints on the board: needs a network namespace and claude');

  live('DSK-6: an agent is told something on the board, which shows what became of it', async () => {
    /** What the model waits for before it answers a turn. */
    const gates = new Map([0, 3].map((turn) => [turn, latch()]));
    const lastAsked = latch();
    const model = await startScriptedModel(['anthropic'], async (_turn, { body, results }) => {
      if (!JSON.stringify(body).includes('Put the word one')) return { text: 'Done.' };
      if (results.length === 3) lastAsked.open();
      await gates.get(results.length)?.opened;
      return steps[results.length] ?? { text: 'Done.' };
    });
    const project = await openClaudeProject({
      script: () => ({ text: 'nobody asks this one' }),
      env: { ANTHROPIC_BASE_URL: model.url },
      config: { roles: { validator: { adapter: 'none' } }, validation: { last_word: false } },
    });
    const { repo, env } = project;
    const task = { id: 'one', group: 'one', locks: [file], script: `Put the word one into ${file}.` };
    const argv = ['run', 'Leave a note', '--from', writePlan(repo, [task]), '--web', '--no-open'];
    const child = startProgram(repo, argv, { env });
    const ended = programEnd(child);
    try {
      const { page, complaints } = await visitUrl(await boardAddress(child));
      const give = async (title: string, choice: string): Promise<void> => {
        const card = page.locator('article.gate', { has: page.locator('h3', { hasText: title }) });
        await card.locator('.answers').getByRole('button', { name: choice, exact: true }).click();
      };
      await give('Approve this plan', 'Approve');
      await page.locator('#agents').getByRole('button', { name: 'Message…' }).click();
      const send = page.getByRole('button', { name: 'Send message', exact: true });
      await page.locator('.tell textarea:focus').fill('<b>Keep it short.</b>');
      await send.click();
      const first = page.locator('.hint', { hasText: '<b>Keep it short.</b>' });
      await first.filter({ hasText: 'waits for its next request' }).waitFor();
      await shot(page, 'board-hint');
      gates.get(0)?.open();
      await first.filter({ hasText: 'continues with' }).waitFor();
      // What it is told before its last request still comes along with that.
      await lastAsked.opened;
      await page.locator('#panel').getByRole('button', { name: 'Message…' }).click();
      await page.locator('.tell textarea:focus').fill('Too late.');
      await page.keyboard.press('Control+Enter');
      const second = page.locator('.hint', { hasText: 'Too late.' });
      await second.waitFor();
      gates.get(3)?.open();
      await second.filter({ hasText: 'not received: it ended first' }).waitFor();
      // What it still asks for as the run ends may be cut off.
      assert.equal(complaints, []);
      await give('one', 'Approve');
      const { code, stderr } = await ended;
      assert.is(code, 0, stderr);
      assert.is(repo.git('show', `main:${file}`), 'one');
    } finally {
      child.kill('SIGKILL');
      await model.close();
      await closeProjects();
    }
  });

  run();
}
