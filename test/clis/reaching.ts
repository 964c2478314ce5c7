import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { readAudit } from '../../lib/cell/watcher/audit-log.ts';
import type { Call, ChangeLaunch, Kit } from './cli-stage.ts';

/** What has a CLI ask its model API to search the web by itself. */
export interface Reaching {
  readonly change: ChangeLaunch;
  /** What its model calls for that; null: the setting alone is enough. */
  readonly call: Call | null;
  /** The API's own name of it. */
  readonly tool: string;
}

/**
 * Has the CLI itself do that, with a hook that allows everything: what a watcher would not be asked about, or could no
 * longer refuse, doesn't pass the gateway.
 */
export function testReaching(name: string, { live, open, proves }: Kit, reaching: Reaching): void {
  const { change, call, tool } = reaching;
  live(`SBX-1: ${name} that has its API search the web is refused, and the audit says what it was`, async () => {
    const calls = call === null ? [] : [call];
    const stage = await open([{ calls, text: call === null ? 'Done.' : '' }], () => 'true', change);
    const outcome = await stage.run();
    const bodies = JSON.stringify(stage.model.seen.map(({ body }) => body.tools));
    assert.not.match(bodies, `"${tool}"`);
    const file = join(stage.repo.path, '.git/blueflame/logs', `${stage.id}.audit.jsonl`);
    const refused = readAudit(file).filter(({ rule }) => rule === 'request-not-allowed');
    assert.ok(
      refused.some(({ details }) => details.includes(`the tool ${tool}`)),
      JSON.stringify([outcome, readAudit(file), stage.model.results()]),
    );
    if (call === null) {
      assert.is(outcome.failure?.retryable, false, JSON.stringify(outcome.failure));
      assert.match(JSON.stringify(outcome.failure), `the tool ${tool}`);
    }
    proves('search by its API, asked for by the CLI itself: refused, and in the audit');
  });
}
