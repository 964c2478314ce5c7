import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ShownMachine } from '../../lib/domain/shown/machines.ts';
import type { Breach } from '../../lib/domain/state/breach.ts';
import { renderMachines, renderWays } from '../../lib/ui/render/render-machines.ts';
import { plainStyle } from './samples.ts';

const breach = (at: number): Breach => ({
  ...{ v: 1, kind: 'claim', session: 'ses', task: `task-${at}`, machine: null, by: null, key: null },
  ...{ commit: String(at).padStart(40, '0'), ref: 'refs/blueflame/tasks', what: 'it lied' },
});

test('DST-1 of many steps against the rules the newest are shown, and the command that shows all of them', () => {
  const breaches = Array.from({ length: 200 }, (_, at) => breach(at));
  const facts = { remote: 'origin', session: 'ses', machines: [], breaches };
  const some = renderMachines(facts, plainStyle()).join('\n');
  assert.match(some, /190 earlier steps: git flame machines --breaches/);
  assert.is(some.match(/it lied/g)?.length, 10);
  assert.match(some, /task-199/);
  const all = renderMachines({ ...facts, isWhole: true }, plainStyle()).join('\n');
  assert.is(all.match(/it lied/g)?.length, 200);
  assert.not.match(all, /--breaches/);
});

test('DST-1 what a machine offers and is not trusted with is shown with the command that trusts it', () => {
  const one: ShownMachine = {
    ...{ machine: 'ben/1', person: 'Ben', role: 'worker', version: null, config: 'same', slots: 2 },
    ...{ roles: ['work', 'validate'], trusted: [], key: 'k', adapters: [], since: null, last_sign_at: null },
    ...{ tasks: [], judges: [] },
  };
  assert.match(
    renderWays([one], plainStyle()).join('\n'),
    /git flame machines --trust ben\/1 --role validate/,
  );
  assert.equal(renderWays([{ ...one, trusted: ['validate'] }], plainStyle()), []);
  assert.equal(renderWays([{ ...one, roles: ['work'] }], plainStyle()), []);
});

test.run();
