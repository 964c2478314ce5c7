import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { MachineSession, MachineSessionsView } from '../../../lib/domain/view-models/machine-sessions-view.ts';
import { renderMachineSessions } from '../../../lib/ui/render/render-machine-sessions.ts';
import { createStyle, type Style } from '../../../lib/ui/text/style.ts';
import { textWidth } from '../../../lib/util/format-width.ts';

const now = new Date('2026-02-06T12:00:00.000Z');
const plain = createStyle(process.stdout, {}, { color: false, plain: true });

const sample: MachineSession = {
  repository: '/home/lea/src/shop',
  id: 'ses-20260206-100000-abcd',
  title: 'Add login',
  base_branch: 'main',
  standing: 'waits',
  waits: ['to review: 1-auth'],
  tasks: { landed: 1, all: 3 },
  since: '2026-02-06T10:00:00.000Z',
  next: 'cd /home/lea/src/shop && git flame review',
};

function render(view: Partial<MachineSessionsView>, style: Style = plain): string {
  const whole = { schema_version: 1, sessions: [], ended: [], unreadable: [], ...view } as const;
  return renderMachineSessions(whole, style, { now, home: '/home/lea' });
}

test('CLI-4 each session is a row with its age, place and what waits, and a line to copy', () => {
  const running: MachineSession = { ...sample, repository: '/srv/api', standing: 'running', waits: [] };
  assert.is(
    render({
      sessions: [sample, { ...running, since: '2026-02-06T12:00:09.000Z' }],
      ended: ['/home/lea/old'],
      unreadable: [{ repository: '/mnt/disk/x', code: 'no-such-folder', message: 'It is not there.', hints: [] }],
    }),
    [
      'Waits for you',
      '  2h 00m  ~/src/shop  Add login: to review: 1-auth',
      '          cd /home/lea/src/shop && git flame review',
      '',
      'Running',
      '  now  /srv/api  Add login: 1 of 3 tasks landed',
      '       cd /home/lea/src/shop && git flame review',
      '',
      'Cannot be read',
      '  /mnt/disk/x: It is not there.',
      '',
      'Ended',
      '  ~/old',
    ].join('\n'),
  );
});

test('CLI-4 a narrow terminal has what waits below the place, and no line but the one to copy is wider', () => {
  const long = { ...sample, title: '登录页面 '.repeat(20).trim(), repository: `/srv/${'deep/'.repeat(20)}shop` };
  const text = render({ sessions: [sample, long] }, { ...plain, width: 40 });
  const wide = text.split('\n').filter((line) => textWidth(line) > 40);
  assert.ok(
    wide.every((line) => line.includes('git flame review') || line.includes('…')),
    wide.join('\n'),
  );
  assert.match(text, /….*deep\/shop$/m);
});

test('SAF-9 nothing of a title, a path or an error reaches the terminal as a command', () => {
  const bad = '\u001b[2J\u0007\u202e\nx';
  const text = render({
    sessions: [{ ...sample, title: bad, waits: [bad], repository: `/home/lea/${bad}`, next: `cd ${bad} && git flame` }],
    ended: [bad],
    unreadable: [{ repository: bad, code: 'x', message: bad, hints: [bad] }],
  });
  assert.not.match(text.replaceAll('\n', ''), /[\p{Cc}\u202e]/u);
});

test.run();
