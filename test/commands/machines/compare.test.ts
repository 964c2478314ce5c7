import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { describeOtherVersion } from '../../../lib/commands/machines/join-session.ts';

test('DST-1 a configuration that differs is explained by the version of the lead, where that is another one', () => {
  const lead = { machine: 'ada/1\n', version: '1.2.0' };
  assert.equal(describeOtherVersion(lead, '1.2.0'), []);
  assert.equal(describeOtherVersion({ ...lead, version: null }, '1.2.0'), []);
  assert.equal(describeOtherVersion(undefined, '1.2.0'), []);
  const [line = ''] = describeOtherVersion(lead, '1.1.0');
  assert.match(line, /^ada\/1.* leads with git-flame 1\.2\.0, this is 1\.1\.0: /);
  assert.not.match(line, /\n/);
});

test.run();
