import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FlameError } from '../../../lib/domain/flame-error.ts';
import { handleLostLead } from '../../../lib/engine/machines/watch-agent-claims.ts';
import { decideAndRecord } from '../../../lib/engine/record-changes.ts';
import type { RunContext } from '../../../lib/engine/run-context.ts';
import { openStack } from '../../support/stack.ts';
import { closeWorkshops } from '../../support/workshop.ts';

test.after(closeWorkshops);

test('DST-1 a replaced lead keeps what its agents wrote also where its remote is out of reach, and says what it could not do', async () => {
  const { context, session } = await openStack({ tasks: [{ id: 'a' }], agent: () => ({}) });
  const machines = { lead: 'ben/1', remote: 'origin', term: 2, lease_ms: 60_000, renew_ms: 10_000 };
  await decideAndRecord(context, session, (view) => ({
    session: { next: { ...view.session, machines }, subject: 'session: led by ben/1, term 2' },
  }));
  const { store, git } = context;
  const lost = new FlameError({
    kind: 'environment',
    code: 'remote-unreachable',
    message: 'origin is out of reach.',
  });
  let looked = 0;
  const away = {
    ...context,
    place: 'ada/1',
    remoteSession: { role: 'lead', machine: 'ada/1', remote: 'origin' },
    store: { ...store, snapshot: () => store.snapshot(), transact: () => Promise.reject(lost) },
    git: {
      ...git,
      cells: async () => {
        looked += 1;
        return [];
      },
    },
  } as unknown as RunContext;
  const said = await handleLostLead(away, session, new Error('it ended'));
  if (!(said instanceof FlameError)) throw said;
  assert.equal([said.code, looked], ['lead-passed-on', 1]);
  assert.match(said.lines.join('\n'), 'could not be released (origin is out of reach)');
});

test.run();
