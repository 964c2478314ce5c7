import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { emptyBoardState } from '../../../lib/domain/view-models/board-view.ts';
import { type BoardSource, BoardTabs } from '../../../lib/ui/board/board-tabs.ts';

test('what is kept for the tabs of a session goes with the last of them', async () => {
  let watched = 0;
  const source: BoardSource = {
    read: async () => emptyBoardState,
    task: async () => null,
    follow: async () => false,
    sendHint: async () => undefined,
    stopAgent: async () => undefined,
    answer: async () => undefined,
    gateText: async () => null,
    watch: () => {
      watched += 1;
      return () => {
        watched -= 1;
      };
    },
  };
  const heard: string[] = [];
  const tabs = new BoardTabs(source, { session: null, onEmpty: () => heard.push('empty') });
  const open = (): (() => void) => {
    let close: () => void = () => undefined;
    tabs.add({
      send: () => undefined,
      end: () => undefined,
      onClose: (listener) => {
        close = listener;
      },
    });
    return () => close();
  };
  const [first, second] = [open(), open()];
  first();
  assert.equal([heard, watched], [[], 1]);
  second();
  assert.equal([heard, watched], [['empty'], 0]);
  await tabs.end({ ended: '', isRunOver: false });
});

test.run();
