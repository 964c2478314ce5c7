import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { listProgramDifferences } from '../../../lib/commands/machines/join-session.ts';
import type { ShownMachine } from '../../../lib/domain/view-models/listed-machines.ts';

const lead: ShownMachine = {
  ...{ machine: 'ada/1', person: 'Ada', role: 'lead', version: '1.2.0', config: 'same', slots: 2 },
  ...{ roles: null, trusted: [], key: null, adapters: ['claude', 'codex'], since: null, last_sign_at: null },
  ...{ tasks: [], judges: [] },
};

test('DST-1 a lead with another version or other CLIs is told of at joining, one that is alike is not', () => {
  const here = { version: '1.2.0', adapters: ['claude', 'codex', 'exec'] };
  assert.equal(listProgramDifferences(lead, here), []);
  assert.equal(listProgramDifferences(undefined, here), []);
  const [version, adapters] = listProgramDifferences(lead, { version: '1.1.0', adapters: ['claude'] });
  assert.match(version ?? '', /^ada\/1 leads with git-flame 1\.2\.0, but this is 1\.1\.0: /);
  assert.match(adapters ?? '', /^ada\/1 runs agents with codex, which this machine does not use/);
});

test.run();
