import { createHash } from 'node:crypto';
import { isRecord, type JsonRecord } from '../../../util/json-record.ts';
import type { Mark, PromptText } from './dialect.ts';
import { bytesPerDocumentToken, tokensPerImage } from './media.ts';

/** See Dialect.readPrompt. */
export function readAnthropicPrompt(request: JsonRecord): PromptText {
  let extra = 0;
  const { tool_choice, output_config, output_format, thinking } = request;
  const plain = (_key: string, value: unknown): unknown => {
    if (!isRecord(value)) return value;
    // Cache marks move on from request to request.
    const { cache_control: _mark, ...rest } = value;
    if (value.type !== 'base64' || typeof value.data !== 'string') return rest;
    const isImage = `${value.media_type}`.startsWith('image/');
    extra += isImage ? tokensPerImage : Math.ceil(value.data.length / bytesPerDocumentToken);
    return { ...rest, data: createHash('sha1').update(value.data).digest('hex') };
  };
  const marks: Mark[] = [];
  let text = JSON.stringify([tool_choice, output_config, output_format, thinking], plain);
  const blocks = blocksOf(request);
  for (const [block, content] of blocks.entries()) {
    text += `\n${JSON.stringify(content, plain) ?? ''}`;
    if (isMarked(content) || (block === blocks.length - 1 && isMarked(request)))
      marks.push({ end: text.length, block });
  }
  return { text, extra, marks };
}

/** All that can have a mark, in the order the API caches it; of each message its role goes before. */
function blocksOf({ tools, system, messages }: JsonRecord): readonly unknown[] {
  const turns = listOf(messages).flatMap((one) =>
    isRecord(one) ? [one.role, ...listOf(one.content)] : [one],
  );
  return [...listOf(tools), ...listOf(system), ...turns];
}

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return value === undefined ? [] : [value];
}

function isMarked(block: unknown): boolean {
  return isRecord(block) && isRecord(block.cache_control);
}
