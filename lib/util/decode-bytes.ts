const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Text of bytes, nothing lost: what is no UTF-8 is written byte by byte as `⟦0xE9⟧`. */
export function decodeBytes(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    return decodePieces(bytes);
  }
}

function decodePieces(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const length = characterLength(bytes, at);
    if (length > 0) text += strict.decode(bytes.subarray(at, at + length));
    else text += `⟦0x${(bytes[at] ?? 0).toString(16).toUpperCase().padStart(2, '0')}⟧`;
    at += Math.max(1, length);
  }
  return text;
}

/** Bytes of the character that begins here; 0: none does. */
function characterLength(bytes: Uint8Array, at: number): number {
  for (const length of [1, 2, 3, 4]) {
    if (at + length > bytes.length) return 0;
    try {
      strict.decode(bytes.subarray(at, at + length));
      return length;
    } catch {
      // Perhaps with one byte more.
    }
  }
  return 0;
}
