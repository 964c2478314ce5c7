import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { getAdapter } from '../../../lib/agents/get-adapter.ts';
import {
  baseAddress,
  credentialSources,
  missingCredential,
  readCredential,
} from '../../../lib/cell/gateway/model-credential.ts';
import { configSchema } from '../../../lib/domain/config/config.ts';
import { FlameError } from '../../../lib/domain/flame-error.ts';
import { openCellFixture, scriptAdapter } from '../fixture.ts';

test('PLN-1 each variable that is read counts, a subscription only where there is no other', () => {
  const of = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 'x']));
  const [key, token, plan] = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'];
  assert.equal(credentialSources(of(key), 'anthropic'), [key]);
  assert.equal(credentialSources(of(token), 'anthropic'), [token]);
  assert.equal(credentialSources(of(plan), 'anthropic'), [plan]);
  assert.equal(credentialSources(of(key, plan), 'anthropic'), [key]);
  assert.equal(credentialSources(of(key, token, plan), 'anthropic'), [token, key]);
  assert.equal(credentialSources({ ANTHROPIC_API_KEY: '' }, 'anthropic'), []);
});

test('PLN-1 none is an error that names all of them; a server of ones own may want none', () => {
  const error = missingCredential({ HOME: '/home/lea' }, 'anthropic');
  assert.is(error?.code, 'no-credential');
  const told = error?.hints.join('\n') ?? '';
  for (const name of ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'])
    assert.ok(told.includes(name), name);
  assert.is(missingCredential({ ANTHROPIC_BASE_URL: 'http://127.0.0.1:4000' }, 'anthropic'), null);
  assert.is(missingCredential({ CLAUDE_CODE_OAUTH_TOKEN: 'x' }, 'anthropic'), null);
});

test('SBX-5 a key goes to the address it was set with, never to one that is set without a key', () => {
  const openai = { OPENAI_API_KEY: 'sk-openai', OPENAI_PROJECT: 'p' };
  const local = { ...openai, COPILOT_PROVIDER_BASE_URL: 'http://127.0.0.1:11434/v1' };
  assert.equal(readCredential(local, 'copilot'), { credential: {}, sources: [] });
  assert.is(missingCredential(local, 'copilot'), null);
  const both = { ...local, COPILOT_PROVIDER_API_KEY: 'sk-own' };
  assert.equal(readCredential(both, 'copilot').credential, { authorization: 'Bearer sk-own' });
  const { address } = baseAddress(openai, 'copilot');
  assert.equal(
    [address, baseAddress(local, 'copilot').address],
    ['https://api.openai.com/v1', local.COPILOT_PROVIDER_BASE_URL],
  );
  assert.is(readCredential(openai, 'copilot').credential.authorization, 'Bearer sk-openai');
  assert.match(missingCredential({}, 'copilot')?.message ?? '', /OPENAI_API_KEY/);
});

test('PLN-1 nothing is started without one: not at the preflight, and not later', async () => {
  const { apis } = getAdapter('claude', configSchema.parse({}));
  const model = { ...scriptAdapter, apis };
  const { runner, request } = await openCellFixture({ adapter: model });
  const starts = [() => runner.checkAdapter('claude'), () => runner.start(request(), () => undefined)];
  for (const start of starts) {
    const error = await start()
      .then(() => null)
      .catch((reason: unknown) => reason);
    assert.is(error instanceof FlameError && error.code, 'no-credential');
  }
  const script = await openCellFixture();
  assert.match(await script.runner.checkAdapter('exec'), /\d/);
});

test.run();
