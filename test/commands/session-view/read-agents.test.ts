import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { auditFile, openAuditLog } from '../../../lib/cell/watcher/audit-log.ts';
import { openAgentReader } from '../../../lib/commands/session-view/read-agents.ts';
import { makeTempDir } from '../../support/repo.ts';

test('DSK-6: what agents were told that ended before a board was opened is shown there', () => {
  const commonDir = makeTempDir();
  const [told, silent] = ['worker-1a2b3c4d', 'worker-00000000'];
  mkdirSync(dirname(auditFile(commonDir, told)), { recursive: true });
  for (const agent of [told, silent]) {
    const audit = openAuditLog(auditFile(commonDir, agent), agent, () => new Date());
    audit.append(
      { tool_name: 'Bash', tool_input: { command: 'ls' }, cwd: '/' },
      { decision: 'allow', rule: 'allowed', details: '' },
    );
    if (agent === told)
      audit.append(
        { tool_name: 'hint', tool_input: { pattern: 'hint-1' }, cwd: '' },
        { decision: 'allow', rule: 'hint-seen', details: 'Lea: Be short.' },
      );
    audit.close();
  }
  const reader = openAgentReader(commonDir);
  const session = 'ses-20260206-143022-1a2b';
  assert.equal(
    reader.read(session, () => null),
    [],
  );
  assert.equal(reader.hints(session), []);
  const ran = [silent, told, 'worker-without-audit'];
  const [hint, ...more] = reader.hints(session, ran);
  assert.equal([hint?.agent, hint?.text, hint?.state, more], [told, 'Lea: Be short.', 'seen', []]);
  // Nothing is lost at the next look, nor said twice.
  reader.read(session, () => null);
  assert.is(reader.hints(session, ran).length, 1);
});

test.run();
