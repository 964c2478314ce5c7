import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { explainForbiddenModel, isModelPermitted } from '../../../lib/domain/config/configured-model.ts';

test('BUD-1 an agent may ask for its model, of an alias any known version, and the small helper', () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ['sonnet', 'claude-sonnet-5', true],
    ['sonnet', 'claude-sonnet-4-5-20250929', true],
    ['sonnet', 'claude-3-7-sonnet-latest', true],
    ['sonnet[1m]', 'claude-sonnet-5', true],
    ['sonnet', 'claude-haiku-4-5-20251001', true],
    ['sonnet', 'sonnet', false],
    ['sonnet', 'haiku', false],
    ['sonnet[1m]', 'sonnet', false],
    ['sonnet', 'claude-sonnet-9', false],
    ['sonnet', 'claude-sonnet-5-evil', false],
    ['sonnet', 'claude-haiku-9', false],
    ['sonnet', 'claude-opus-4-8', false],
    ['haiku', 'claude-sonnet-5', false],
    ['opusplan', 'claude-sonnet-5', true],
    ['claude-opus-4-1', 'claude-opus-4-1', true],
    ['claude-opus-4-1', 'claude-opus-4-1-20250805', true],
    ['claude-opus-4-1', 'claude-opus-4-1@20250805', true],
    ['claude-opus-4-1-20250805', 'claude-opus-4-1', true],
    ['claude-opus-4-1-20250805', 'claude-opus-4-1-20250806', false],
    ['claude-opus-4-1', 'claude-opus-4-1-evil', false],
    ['claude-opus-4-1', 'opus', false],
    ['claude-opus-4-8[1m]', 'claude-opus-4-8', true],
    ['claude-opus-4-8', 'claude-opus-4-1', false],
    ['claude-sonnet-9', 'claude-sonnet-9-20300101', true],
    ['my-model', 'my-model', true],
    ['my-model[1m]', 'my-model', true],
    ['my-model', 'my-model-2', false],
    ['my-model', 'my-model-20250101', false],
    ['my-model', 'not-haiku', false],
    ['sonnet', '', false],
  ];
  for (const [model, asked, wanted] of cases)
    assert.is(isModelPermitted({ model, prices: {}, helper: 'haiku' }, asked), wanted, `${model}: ${asked}`);
});

test('BUD-1 a price of ones own adds the version it names, and a beginning of ids adds none', () => {
  const may = (asked: string, ...keys: readonly string[]): boolean =>
    isModelPermitted(
      {
        model: 'sonnet',
        helper: 'haiku',
        prices: Object.fromEntries(keys.map((key) => [key, { input: 1, output: 2 }])),
      },
      asked,
    );
  assert.ok(may('claude-sonnet-9', 'claude-sonnet-9'));
  assert.ok(may('claude-sonnet-9-20300101', 'claude-sonnet-9'));
  assert.ok(may('sonnet', 'sonnet'));
  assert.not(may('claude-sonnet-9', 'claude-sonnet'));
  assert.not(may('claude-sonnet-5-evil', 'claude-'));
  assert.not(may('claude-opus-9', 'claude-opus-9'));
});

test('UNI-8 a CLI that has no small model may ask its own alone', () => {
  const selected = { model: 'gpt-5.6', prices: {}, helper: null };
  assert.ok(isModelPermitted(selected, 'gpt-5.6'));
  for (const asked of ['gpt-5.6-luna', 'claude-haiku-4-5', 'gpt-5.6 ', ''])
    assert.not(isModelPermitted(selected, asked), asked);
  assert.not.match(explainForbiddenModel({ ...selected, role: 'worker' }, 'x'), /beside it/);
});

test('BUD-1 a refusal names the models that may be asked, and the keys that allow another', () => {
  const told = explainForbiddenModel(
    {
      role: 'validator',
      model: 'opus',
      helper: 'haiku',
      prices: { 'claude-opus-9': { input: 1, output: 2 } },
    },
    'claude-opus-4-8-evil',
  );
  assert.match(told, '"claude-opus-4-8-evil". It may call opus (claude-3-opus, ');
  assert.match(told, /claude-opus-4-8, .*claude-opus-9\), and also .*claude-haiku-4-5/);
  assert.match(told, /models\.validator or models\.groups .*models\.prices/);
});

test.run();
