import { type Environment, readVariable } from './read-variable.ts';

/** Services that claude asks in a way of their own, which the gateway doesn't speak, and how each is asked by Anthropic's. */
const clouds: readonly { readonly variable: string; readonly title: string; readonly way: string }[] = [
  {
    variable: 'CLAUDE_CODE_USE_BEDROCK',
    title: 'Amazon Bedrock',
    way: 'export ANTHROPIC_BASE_URL=https://bedrock-mantle.<region>.api.aws/anthropic ANTHROPIC_API_KEY=<a Bedrock API key>',
  },
  {
    variable: 'CLAUDE_CODE_USE_VERTEX',
    title: 'Google Vertex AI',
    way: 'start a LiteLLM proxy with your vertex_ai models, then: export ANTHROPIC_BASE_URL=http://127.0.0.1:4000 ANTHROPIC_AUTH_TOKEN=<its key>',
  },
  {
    variable: 'CLAUDE_CODE_USE_FOUNDRY',
    title: 'Microsoft Foundry',
    way: 'export ANTHROPIC_BASE_URL=https://<resource>.services.ai.azure.com/anthropic ANTHROPIC_API_KEY=<its key>',
  },
];

/** The cloud that claude is set up to ask; null: none. */
export function askedCloud(env: Environment): (typeof clouds)[number] | null {
  return clouds.find(({ variable }) => !/^(?:|0|false|no|off)$/i.test(readVariable(env, variable))) ?? null;
}
