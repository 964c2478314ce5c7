import { validateHeaderValue } from 'node:http';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { getAdapter } from '../../../lib/agents/get-adapter.ts';
import { listIgnoredVariables } from '../../../lib/cell/gateway/ignored-variables.ts';
import {
  listCredentialVariables,
  missingCredentialError,
  readCredential,
  readProviderAddress,
} from '../../../lib/cell/gateway/model-credential.ts';
import { readUpstream } from '../../../lib/cell/gateway/upstream-model-api.ts';
import { configSchema } from '../../../lib/domain/config/config-schema.ts';
import { FlameError } from '../../../lib/domain/flame-error.ts';
import { openCellFixture, scriptAdapter } from '../fixture.ts';

test('PLN-1 each variable that is read counts, a subscription only where there is no other', () => {
  const of = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 'x']));
  const [key, token, plan] = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'];
  assert.equal(listCredentialVariables(of(key), 'anthropic'), [key]);
  assert.equal(listCredentialVariables(of(token), 'anthropic'), [token]);
  assert.equal(listCredentialVariables(of(plan), 'anthropic'), [plan]);
  assert.equal(listCredentialVariables(of(key, plan), 'anthropic'), [key]);
  assert.equal(listCredentialVariables(of(key, token, plan), 'anthropic'), [token, key]);
  assert.equal(listCredentialVariables({ ANTHROPIC_API_KEY: '' }, 'anthropic'), []);
});

test('PLN-1 none is an error that names all of them; a server of ones own may want none', () => {
  const error = missingCredentialError({ HOME: '/home/lea' }, 'anthropic');
  assert.is(error?.code, 'no-credential');
  const told = error?.hints.join('\n') ?? '';
  for (const name of ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'])
    assert.ok(told.includes(name), name);
  assert.is(missingCredentialError({ ANTHROPIC_BASE_URL: 'http://127.0.0.1:4000' }, 'anthropic'), null);
  assert.is(missingCredentialError({ CLAUDE_CODE_OAUTH_TOKEN: 'x' }, 'anthropic'), null);
});

test('SBX-5 a key goes to the address it was set with, never to one that is set without a key', () => {
  const openai = { OPENAI_API_KEY: 'sk-openai', OPENAI_PROJECT: 'p' };
  const local = { ...openai, COPILOT_PROVIDER_BASE_URL: 'http://127.0.0.1:11434/v1' };
  assert.equal(readCredential(local, 'copilot'), { credential: {}, sources: [] });
  assert.is(missingCredentialError(local, 'copilot'), null);
  const both = { ...local, COPILOT_PROVIDER_API_KEY: 'sk-own' };
  assert.equal(readCredential(both, 'copilot').credential, { authorization: 'Bearer sk-own' });
  const { address } = readProviderAddress(openai, 'copilot');
  assert.equal(
    [address, readProviderAddress(local, 'copilot').address],
    ['https://api.openai.com/v1', local.COPILOT_PROVIDER_BASE_URL],
  );
  assert.is(readCredential(openai, 'copilot').credential.authorization, 'Bearer sk-openai');
  assert.match(missingCredentialError({}, 'copilot')?.message ?? '', /OPENAI_API_KEY/);
});

for (const [how, odd] of [
  ['a file with other line ends', 'sk-lena\r'],
  ['line ends and blanks', '  sk-lena \r\n'],
  ['quotes', '"sk-lena"'],
  ['quotes with blanks in them', "' sk-lena\t'\n"],
  ['a byte order mark', '\ufeffsk-lena'],
] as const)
  test(`SBX-5 a key is sent without what stands around it: ${how}`, () => {
    const { credential } = readCredential({ ANTHROPIC_API_KEY: odd }, 'anthropic');
    assert.equal(credential, { 'x-api-key': 'sk-lena' });
    assert.equal(readCredential({ GEMINI_API_KEY: odd }, 'google').credential, {
      'x-goog-api-key': 'sk-lena',
    });
    const openai = { OPENAI_API_KEY: odd, OPENAI_PROJECT: ' p\r\n' };
    assert.equal(readCredential(openai, 'openai').credential, {
      authorization: 'Bearer sk-lena',
      'openai-project': 'p',
    });
  });

test('SBX-5 a key that no header could hold is refused by the name of its variable, and not shown', () => {
  const named = {
    anthropic: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
    openai: ['OPENAI_API_KEY'],
    google: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    moonshot: ['MOONSHOT_API_KEY', 'KIMI_API_KEY'],
    copilot: ['COPILOT_PROVIDER_BEARER_TOKEN', 'COPILOT_PROVIDER_API_KEY'],
  } as const;
  const address = { COPILOT_PROVIDER_BASE_URL: 'http://127.0.0.1:1/v1' };
  for (const [provider, names] of Object.entries(named) as [keyof typeof named, readonly string[]][])
    for (const name of names)
      for (const value of [
        'sk-\rlena',
        'sk-\nlena',
        'sk-\0lena',
        'sk-\x1b[2Klena',
        'sk- lena',
        'sk-\u200blena',
        'Bearer lena',
      ]) {
        const env = { ...address, [name]: value };
        const error = missingCredentialError(env, provider);
        assert.is(error?.code, 'bad-credential', `${name} ${JSON.stringify(value)}`);
        assert.ok(error?.message.startsWith(`${name} `) && !error.message.includes('lena'), error?.message);
        assert.ok(error?.hints.some((hint) => hint.includes(`read -rs ${name} && export ${name}`)));
        assert.throws(
          () => readCredential(env, provider),
          (thrown: unknown) => thrown instanceof FlameError && thrown.code === 'bad-credential',
        );
      }
  assert.is(missingCredentialError({ OPENAI_API_KEY: 'k', OPENAI_PROJECT: 'a\0b' }, 'openai')?.code, 'bad-credential');
});

test('SBX-5 a key with any character is refused or a header takes it', () => {
  for (let code = 0; code < 0x2100; code += 1) {
    const env = { ANTHROPIC_AUTH_TOKEN: `sk-a${String.fromCharCode(code)}b` };
    if (missingCredentialError(env, 'anthropic') !== null) continue;
    const { credential } = readCredential(env, 'anthropic');
    validateHeaderValue('authorization', credential.authorization ?? '');
  }
});

test('PLN-1 how to use a subscription can be typed: what claude setup-token prints is no token alone', () => {
  const hints = missingCredentialError({}, 'anthropic')?.hints.join('\n') ?? '';
  assert.not.match(hints, '$(');
  assert.match(hints, 'run claude setup-token, copy the token');
  assert.match(hints, 'read -rs CLAUDE_CODE_OAUTH_TOKEN && export CLAUDE_CODE_OAUTH_TOKEN');
});

for (const [variable, title, way] of [
  ['CLAUDE_CODE_USE_BEDROCK', 'Amazon Bedrock', /ANTHROPIC_BASE_URL=https:\/\/bedrock-mantle\./],
  ['CLAUDE_CODE_USE_VERTEX', 'Google Vertex AI', /LiteLLM.*ANTHROPIC_BASE_URL=/],
  ['CLAUDE_CODE_USE_FOUNDRY', 'Microsoft Foundry', /ANTHROPIC_BASE_URL=https:\/\/<resource>\./],
] as const)
  test(`PLN-1 who has claude ask ${title} is told what can be done, and beside a key that it is ignored`, () => {
    const error = missingCredentialError({ [variable]: '1' }, 'anthropic');
    assert.ok(error?.lines.some((line) => line.startsWith(`${variable} is set`) && line.includes(title)));
    assert.match(error?.hints[0] ?? '', way);
    const config = configSchema.parse({});
    const asked = { config, adapter: 'claude', providers: ['anthropic'] } as const;
    const [told] = listIgnoredVariables({ [variable]: 'true', ANTHROPIC_API_KEY: 'k' }, asked);
    assert.match(told ?? '', `${variable} is ignored: agents ask https://api.anthropic.com with ANTHROPIC_API_KEY`);
    assert.match(told ?? '', way);
    for (const off of ['', '0', 'false'])
      assert.equal(listIgnoredVariables({ [variable]: off, ANTHROPIC_API_KEY: 'k' }, asked), []);
  });

for (const [adapter, variable, key] of [
  ['claude', 'ANTHROPIC_MODEL', 'default'],
  ['claude', 'ANTHROPIC_DEFAULT_SONNET_MODEL', 'default'],
  ['claude', 'ANTHROPIC_DEFAULT_HAIKU_MODEL', 'validator'],
  ['gemini', 'GEMINI_MODEL', 'default'],
  ['kimi', 'KIMI_MODEL_NAME', 'default'],
  ['copilot', 'COPILOT_MODEL', 'default'],
] as const)
  test(`PLN-1 ${variable} is named as ignored, with the key that says it here`, () => {
    const of = (roles: string, models: object): readonly string[] =>
      listIgnoredVariables(
        { [variable]: 'some-model' },
        {
          config: configSchema.parse({ roles: { default: { adapter: roles } }, models }),
          adapter,
          providers: [],
        },
      );
    const line = `${variable} is ignored. Set the model of agents in .blueflame.yml: models: { ${key}: "some-model" }`;
    assert.equal(of(adapter, {}), [line]);
    assert.equal(of(adapter, { [key]: 'some-model' }), [], 'what it says is in force');
    // The line works when typed.
    const typed = parse(line.slice(line.indexOf('models:'))) as { models: object };
    assert.equal(of(adapter, typed.models), []);
  });

test('SBX-5 an address is taken as it is meant, or refused by the name of its variable', () => {
  const at = (OPENAI_BASE_URL: string) => {
    const { target, basePath, isSecure } = readUpstream({ OPENAI_BASE_URL }, 'openai');
    return [isSecure, target.host, target.port, basePath];
  };
  const plain = [false, '127.0.0.1', '11434', '/v1'];
  for (const same of [
    'http://127.0.0.1:11434/v1',
    'http://127.0.0.1:11434/v1/',
    'http://127.0.0.1:11434/v1///',
    'http://127.0.0.1:11434',
    'http://127.0.0.1:11434/',
    ' "http://127.0.0.1:11434/v1"\r\n',
  ])
    assert.equal(at(same), plain, same);
  assert.equal(at('http://[::1]:8080/v1'), [false, '::1', '8080', '/v1']);
  assert.equal(at('https://proxy.test/team/a/v1/'), [true, 'proxy.test', '', '/team/a/v1']);
  const { basePath } = readUpstream({ ANTHROPIC_BASE_URL: 'http://127.0.0.1:4000/' }, 'anthropic');
  assert.is(basePath, '');
  for (const bad of [
    'localhost:11434',
    '127.0.0.1:11434/v1',
    'ftp://127.0.0.1/v1',
    'http://',
    'http://lena:secret@127.0.0.1/v1',
    'http://secret@127.0.0.1/v1',
    'http://127.0.0.1/v1?key=secret',
    'http://127.0.0.1/v1#secret',
  ])
    assert.throws(
      () => at(bad),
      (error: unknown) =>
        error instanceof FlameError &&
        error.code === 'bad-base-url' &&
        error.message.startsWith('OPENAI_BASE_URL ') &&
        !error.message.includes('secret'),
      bad,
    );
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
