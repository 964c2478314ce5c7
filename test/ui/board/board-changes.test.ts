import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type BoardState, type BoardTask, emptyBoardState } from '../../../lib/domain/view-models/board-view.ts';
import { applyBoardChange, emptySentBoardState, findUnsentBoardChange } from '../../../lib/ui/board/board-changes.ts';
import { makePrintable } from '../../../lib/ui/page/escape-html.ts';
import { makeRandom } from '../../support/random.ts';

const task: BoardTask = {
  ...{ title: 'T', status: 'pending', verdict: null, group: 'main', priority: 1, needs: [], locks: [] },
  ...{ times: [], overlap: null, by: null, attempts: 0, cost_usd: 0, tokens: 0, because: [] },
};

test('a tab that hears only what changed knows the same as one that hears everything, in random runs', () => {
  const random = makeRandom(7);
  let [sent, tab]: [typeof emptySentBoardState, BoardState | null] = [emptySentBoardState, null];
  for (let step = 0; step < 200; step += 1) {
    const count = random.int(0, 6);
    const state: BoardState = {
      ...emptyBoardState,
      notices: random.chance(0.5) ? [] : [`n${random.int(0, 2)}`],
      is_running: random.chance(0.5),
      tasks: Object.fromEntries(
        Array.from({ length: count }, () => [`t-${random.int(1, 8)}`, { ...task, attempts: random.int(0, 1) }]),
      ),
    };
    const told = findUnsentBoardChange(sent, state, step);
    sent = told.sent;
    if (told.change !== null) tab = applyBoardChange(tab, JSON.parse(JSON.stringify(told.change)));
    assert.equal(tab, state, `step ${step}`);
    assert.is(findUnsentBoardChange(sent, state, step).change, null, 'nothing twice');
  }
});

test('of a thousand tasks one that changed is sent alone', () => {
  const tasks = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`t-${index}`, task]));
  const { sent } = findUnsentBoardChange(emptySentBoardState, { ...emptyBoardState, tasks }, 0);
  const next = { ...emptyBoardState, tasks: { ...tasks, 't-7': { ...task, status: 'claimed' as const } } };
  assert.equal(findUnsentBoardChange(sent, next, 5).change, {
    ...{ now: 5, parts: {}, gone: [] },
    tasks: { 't-7': { ...task, status: 'claimed' } },
  });
});

test('what would act or hide is visible, at any depth', () => {
  assert.equal(makePrintable({ a: ['\u202Eevil', { b: 'x\u001b[31m\ny', c: 3, d: null }] }), {
    a: ['⟦U+202E⟧evil', { b: 'x⟦ESC⟧[31m\ny', c: 3, d: null }],
  });
});

test('a picture joined of several stays one, and a joiner anywhere else is visible', () => {
  const family = '👩🏽\u200d👩\u200d👧\ufe0f\u200d👦';
  assert.is(makePrintable(`${family} a\u200db \u200d👦`), `${family} a⟦U+200D⟧b ⟦U+200D⟧👦`);
});

test.run();
