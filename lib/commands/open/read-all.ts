import type { InputStream } from '../../domain/shown/command.ts';

/** Everything a stream holds, as text. */
export async function readAll(stream: InputStream): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of stream)
    text += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
  return text;
}
