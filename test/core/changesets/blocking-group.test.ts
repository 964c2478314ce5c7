import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { blockingGroup } from '../../../lib/core/changesets/blocking-group.ts';
import type { Changeset } from '../../../lib/domain/state/changeset.ts';

/** What blocks a changeset that needs `auth` and `docs`, where these are so decided. */
function blocker(auth: Changeset['state'], docs: Changeset['state']): string | undefined {
  const changesets = [
    { group: 'other', state: 'rejected' },
    { group: 'auth', state: auth },
    { group: 'docs', state: docs },
  ] as const;
  return blockingGroup(changesets, { depends_on: ['auth', 'docs'] })?.group;
}

test('MRG-3 what was decided otherwise than approved blocks what builds on it', () => {
  for (const lost of ['rejected', 'skipped', 'deferred', 'conflict', 'void'] as const)
    assert.is(blocker('approved', lost), 'docs', lost);
});

test('approved and landed changesets block nothing, others do not count', () => {
  assert.is(blocker('approved', 'landed'), undefined);
});

test('one that waits blocks too, but what was decided is named first', () => {
  assert.is(blocker('waiting', 'landed'), 'auth');
  assert.is(blocker('waiting', 'rejected'), 'docs');
});

test.run();
