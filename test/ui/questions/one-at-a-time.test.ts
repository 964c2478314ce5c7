import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { AskedAgentQuestions, Gates } from '../../../lib/domain/ports/gates.ts';
import { createUnattendedGates } from '../../../lib/ui/questions/create-gates.ts';
import { askOneAtATime } from '../../../lib/ui/questions/wrap-gates.ts';

test('DSK-6 what an agent asks stands behind all else, its time runs from its turn, and one that is withdrawn is not asked', async () => {
  const asked: string[] = [];
  let goOn: () => void = () => undefined;
  const gates: Gates = askOneAtATime({
    ...createUnattendedGates({ person: 'Lea', resume: 'git flame run' }),
    budget: ({ spent }) => {
      asked.push(`budget ${spent}`);
      if (spent > 1) return Promise.resolve({ kind: 'stop' });
      return new Promise((resolve) => {
        goOn = () => resolve({ kind: 'stop' });
      });
    },
    question: async ({ agent, until }) => {
      asked.push(`${agent} ${until}`);
      return { kind: 'proceed' };
    },
  });
  const withdrawn = new AbortController();
  const question = (agent: string, signal: AbortSignal): AskedAgentQuestions => ({
    ...{ agent, task: null, title: 'worker', questions: [], until: 'before', withdrawn: signal },
    laid: () => 'in turn',
  });
  const first = gates.budget({ spent: 1, limit: 1, unit: 'usd' });
  const gone = gates.question?.(question('gone', withdrawn.signal)).catch((error: Error) => error.message);
  const heard = gates.question?.(question('heard', new AbortController().signal));
  const second = gates.budget({ spent: 2, limit: 1, unit: 'usd' });
  withdrawn.abort(new Error('It has ended.'));
  await Promise.resolve();
  goOn();
  await Promise.all([first, second, heard]);
  assert.is(await gone, 'It has ended.');
  assert.equal(asked, ['budget 1', 'budget 2', 'heard in turn']);
});

test.run();
