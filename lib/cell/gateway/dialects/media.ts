import { hash } from 'node:crypto';
import { isJsonRecord } from '../../../util/json.ts';

/** The largest image, scaled as the APIs do it. */
export const tokensPerImage = 5_000;
export const bytesPerDocumentToken = 4;
// Encoded, and more than what was thought.
const bytesPerHiddenToken = 4;

/** Whether an address holds the content itself; the API would ask any other for it. */
export function isInline(address: unknown): boolean {
  return typeof address === 'string' && /^data:/i.test(address);
}

/**
 * Makes a replacer for JSON.stringify that puts a hash in the place of images, documents and encrypted thoughts; calls
 * `count` with about how many tokens each has.
 */
export function createMediaReplacer(count: (tokens: number) => void): (key: string, value: unknown) => unknown {
  return (key, value) => {
    if (typeof value === 'string') {
      if (key === 'encrypted_content' || key === 'thoughtSignature') {
        count(Math.ceil(value.length / bytesPerHiddenToken));
        return hash('sha1', value);
      }
      if (!/^data:/i.test(value) || key === 'text') return value;
      count(/^data:image\//i.test(value) ? tokensPerImage : Math.ceil(value.length / bytesPerDocumentToken));
      return hash('sha1', value);
    }
    if (!isJsonRecord(value) || typeof value.data !== 'string') return value;
    const type = value.mimeType ?? value.mime_type;
    if (typeof type !== 'string') return value;
    count(type.startsWith('image/') ? tokensPerImage : Math.ceil(value.data.length / bytesPerDocumentToken));
    return { ...value, data: hash('sha1', value.data) };
  };
}
