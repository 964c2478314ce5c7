import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseModelId } from '../../../lib/domain/config/model-id.ts';
import { priceTokens } from '../../../lib/domain/config/token-price.ts';
import { computeGrantedOutputTokens, unlimitedSpending } from '../../../lib/domain/state/spending.ts';

const million = 1_000_000;

function near(found: number | null, wanted: number, told = ''): void {
  assert.ok(found !== null && Math.abs(found - wanted) < 1e-9, `${told}: ${found} for ${wanted}`);
}

test('a model id tells family and version, and is read to its end: what only begins as one names none', () => {
  const cases: readonly (readonly [string, string | null])[] = [
    ['sonnet', 'sonnet '],
    ['sonnet[1m]', 'sonnet '],
    ['claude-sonnet-5', 'sonnet 5'],
    ['claude-sonnet-4-5-20250929', 'sonnet 4.5'],
    ['claude-sonnet-4-20250514', 'sonnet 4'],
    ['claude-opus-4-0', 'opus 4'],
    ['claude-3-5-haiku-20241022', 'haiku 3.5'],
    ['claude-3-opus-20240229', 'opus 3'],
    ['claude-opus-4-1@20250805', 'opus 4.1'],
    ['claude-opus-4-8[1m]', 'opus 4.8'],
    ['claude-3-7-sonnet-latest', 'sonnet 3.7'],
    ['us.anthropic.claude-opus-4-1-20250805-v1:0', null],
    ['claude-sonnet-4-5-evil', null],
    ['claude-opus-4-6-fast', null],
    ['claude-sonnet-4-5-latest', null],
    ['claude-sonnet-4-5-2025092', null],
    ['claude-sonnet-4-5[2m]', null],
    ['xclaude-sonnet-4-5', null],
    ['claude-sonnet-4-5\n', null],
    ['claude-sonnet', null],
    ['claude-fable-5-1', 'fable 5.1'],
    ['opusplan', 'opus '],
    ['sonnetish', null],
    ['gpt-5', null],
    ['my-opus-model', null],
  ];
  for (const [id, wanted] of cases) {
    const name = parseModelId(id);
    assert.is(name === null ? null : `${name.family} ${name.version}`, wanted, id);
  }
});

test('BUD-1 each kind of token has its price: cache, an hour of it, long input, a region, searches', () => {
  near(priceTokens('claude-sonnet-5', { input_tokens: million, output_tokens: million }), 12);
  near(priceTokens('claude-opus-4-8', { cache_read_input_tokens: million }), 0.5);
  near(priceTokens('claude-opus-4-8', { cache_creation_input_tokens: million }), 6.25);
  const hour = {
    cache_creation_input_tokens: million,
    cache_creation: { ephemeral_1h_input_tokens: million },
  };
  near(priceTokens('claude-opus-4-8', hour), 10);
  near(priceTokens('claude-sonnet-4-5', { input_tokens: 200_000 }), 0.6);
  near(priceTokens('claude-sonnet-4-5', { input_tokens: 100_000, cache_read_input_tokens: 100_001 }), 0.660_000_6);
  near(priceTokens('claude-haiku-5-5', { input_tokens: 100_001, output_tokens: 1_000 }), 0.052_500_5);
  near(priceTokens('claude-sonnet-5', { output_tokens: million, inference_geo: 'us' }), 11);
  near(priceTokens('claude-sonnet-5', { output_tokens: million, inference_geo: 'global' }), 10);
  near(priceTokens('claude-opus-4-8', { output_tokens: million, speed: 'fast' }), 150);
  near(priceTokens('claude-sonnet-5', { server_tool_use: { web_search_requests: 3 } }), 0.03);
});

test('BUD-1 a price of ones own goes first, the longest beginning of all; a version nobody knows has none, a family costs as its dearest', () => {
  const prices = {
    'claude-': { input: 1, output: 2 },
    'claude-sonnet-5': { input: 7, output: 8, cache_read: 3 },
    local: { input: 0, output: 0 },
  };
  near(priceTokens('claude-sonnet-5', { cache_read_input_tokens: million }, prices), 3);
  near(priceTokens('claude-sonnet-5', { cache_creation_input_tokens: million }, prices), 8.75);
  near(priceTokens('claude-opus-4-8', { output_tokens: million }, prices), 2);
  near(priceTokens('local-model', { output_tokens: million }, prices), 0);
  for (const model of ['claude-sonnet-9', 'claude-opus-6-20270101', 'claude-haiku-latest', 'claude-opus'])
    assert.is(priceTokens(model, { input_tokens: million }), null, model);
  for (const model of ['sonnet', 'sonnet[1m]']) near(priceTokens(model, { input_tokens: 1_000 }), 0.003);
  assert.is(priceTokens('gpt-9', {}), null);
});

test('UNI-8 what is left decides how long an answer may be', () => {
  const demand = {
    input: { tokens: 1_000, cost_usd: 0.1 },
    perOutputToken: { tokens: 1, cost_usd: 0.000_01 },
    ...{ most: 32_000, least: 4_096 },
  };
  assert.is(computeGrantedOutputTokens(demand, unlimitedSpending), 32_000);
  assert.is(computeGrantedOutputTokens(demand, { ...unlimitedSpending, tokens: 11_000 }), 10_000);
  assert.is(computeGrantedOutputTokens(demand, { ...unlimitedSpending, tokens: 5_000 }), null);
  assert.is(computeGrantedOutputTokens(demand, { ...unlimitedSpending, cost_usd: 0.300_001 }), 20_000);
  assert.is(computeGrantedOutputTokens(demand, { ...unlimitedSpending, cost_usd: 0.1 }), null);
  assert.is(computeGrantedOutputTokens({ ...demand, most: 10 }, { ...unlimitedSpending, tokens: 1_010 }), 10);
});

test('BUD-1 models of other providers have their prices, by whole ids alone, with or without their provider', () => {
  near(priceTokens('gpt-5.6', { input_tokens: 200_000, output_tokens: 100_000 }), 2.8);
  near(priceTokens('openai/gpt-5.6', { input_tokens: 200_000, output_tokens: 100_000 }), 2.8);
  near(priceTokens('gpt-5.6-2026-07-01', { input_tokens: 200_000 }), 0.8);
  near(priceTokens('gpt-5.6', { input_tokens: 300_000 }), 2.4, 'a long request costs more as a whole');
  near(priceTokens('gpt-5.5', { cache_creation_input_tokens: million / 10 }), 0.5, 'filling the cache is free');
  near(priceTokens('gpt-6-sol', { cache_creation_input_tokens: million / 10 }), 0.25);
  near(priceTokens('gemini-2.5-pro', { cache_read_input_tokens: 100_000, output_tokens: million }), 10.0125);
  near(priceTokens('moonshotai/kimi-k2.6', { cache_read_input_tokens: million }), 0.16);
  for (const model of ['gpt-5.6-evil', 'gpt-9', 'xgpt-5.6', 'gemini-2.5', 'vendor/gpt-5.6'])
    assert.is(priceTokens(model, { input_tokens: 1 }), null, model);
  const own = { 'openai/gpt-9': { input: 1, output: 2 } };
  near(priceTokens('gpt-9', { input_tokens: million }, own), 1);
  near(priceTokens('openai/gpt-9', { input_tokens: million }, { 'gpt-9': { input: 1, output: 2 } }), 1);
});

test.run();
