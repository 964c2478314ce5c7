import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Changeset } from '../../../lib/domain/state/changeset.ts';
import { findBlockingChangeset } from '../../../lib/domain/state/changeset-facts.ts';

/** What blocks a changeset that needs `auth` and `docs`, where these are so decided. */
function blocker(auth: Changeset['state'], docs: Changeset['state']): string | undefined {
  const changesets = [
    { id: '1-other', group: 'other', state: 'rejected' },
    { id: '1-auth', group: 'auth', state: auth },
    { id: '1-docs', group: 'docs', state: docs },
  ] as const;
  return findBlockingChangeset(changesets, { id: '1-ui', depends_on: ['auth', 'docs'] })?.group;
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

test('of several of one group the last one counts that was built before', () => {
  const onAuth = (states: readonly Changeset['state'][]): string | undefined => {
    const changesets = [
      { id: '1-auth', group: 'auth', state: states[0] ?? 'rejected' },
      { id: '1-auth-2', group: 'auth', state: states[1] ?? 'rejected' },
      { id: '1-ui', group: 'ui', state: 'waiting' },
      { id: '1-auth-3', group: 'auth', state: states[2] ?? 'rejected' },
    ] as const;
    return findBlockingChangeset(changesets, { id: '1-ui', depends_on: ['auth'] })?.id;
  };
  assert.is(onAuth(['rejected', 'approved', 'rejected']), undefined);
  assert.is(onAuth(['landed', 'skipped', 'approved']), '1-auth-2');
});

test.run();
