import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readRegisteredAgents } from '../../../lib/cell/run/agent-registry.ts';
import { until } from '../../support/until.ts';
import { claudeFacts, openCellFixture, scriptAdapter } from '../fixture.ts';

test('LIF-1 what an agent was last seen to do stays known while it only counts tokens', async () => {
  const { runner, port, request } = await openCellFixture({
    env: { ANTHROPIC_API_KEY: 'test-key' },
    adapter: {
      apis: claudeFacts.apis,
      reader: (...about) => ({
        ...scriptAdapter.reader(...about),
        // A client tells of a call, then of what it has used.
        push: (chunk) => [
          { text: chunk.trim(), tokens: 1, cost_usd: 0 },
          { text: '', tokens: 2, cost_usd: 0 },
        ],
      }),
    },
  });
  const told: string[] = [];
  const agent = await runner.start(request({ prompt: 'echo "Bash ls"; sleep 300' }), ({ text }) => {
    told.push(text);
  });
  const { commonDir } = port.repository;
  await until('it is registered', () => readRegisteredAgents(commonDir).some(({ tokens }) => tokens === 2));
  assert.equal(
    readRegisteredAgents(commonDir).map(({ activity }) => activity),
    ['Bash ls'],
  );
  assert.equal(told, ['Bash ls', '']);
  await agent.stop(0);
  await agent.outcome;
});

test.run();
