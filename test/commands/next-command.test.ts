import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { chooseNextCommand, commandOnThisMachine } from '../../lib/commands/run-loop/next-command.ts';
import type { Session } from '../../lib/domain/state/session-schema.ts';
import { sampleSession, sampleTask } from '../store/sample.ts';

const machines = { lead: 'ada/1', remote: 'origin', term: 1, lease_ms: 60_000, renew_ms: 10_000 };

function next(session: Session, place: string | null): string | null {
  const tasks = [sampleTask('task-001')];
  return chooseNextCommand({ session, tasks, received: [], isOurs: true }, null, place);
}

test('DST-1 what comes next in a session that machines share is a command that goes there: to lead it, or to join', () => {
  const alone = sampleSession();
  const shared: Session = { ...alone, machines };
  assert.is(next(alone, 'ada/1'), 'git flame work');
  assert.is(next(shared, 'ada/1'), 'git flame run');
  assert.is(next(shared, 'ben/1'), 'git flame work --join origin');
  assert.is(commandOnThisMachine({ ...shared, state: 'ended' }, 'ben/1', 'work'), 'git flame work');
});

test('a session that a person stopped continues as a run, wherever it is asked what comes next', () => {
  const stopped: Session = { ...sampleSession(), state: 'stopped' };
  assert.is(next(stopped, null), 'git flame run');
  assert.is(next({ ...stopped, machines }, 'ben/1'), 'git flame work --join origin');
});

test.run();
