import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ShownMachine } from '../../lib/domain/view-models/listed-machines.ts';
import { renderTrustCommands } from '../../lib/ui/render/render-machines.ts';
import { plainStyle } from './samples.ts';

test('DST-1 what a machine offers and is not trusted with is shown with the command that trusts it', () => {
  const one: ShownMachine = {
    ...{ machine: 'ben/1', person: 'Ben', role: 'worker', version: null, config: 'same', slots: 2 },
    ...{ roles: ['work', 'validate'], trusted: [], key: 'k', since: null, last_sign_at: null },
    ...{ tasks: [], judges: [] },
  };
  assert.match(renderTrustCommands([one], plainStyle()).join('\n'), /git flame machines --trust ben\/1$/m);
  assert.equal(renderTrustCommands([{ ...one, trusted: ['validate'] }], plainStyle()), []);
  assert.equal(renderTrustCommands([{ ...one, roles: ['work'] }], plainStyle()), []);
});

test.run();
