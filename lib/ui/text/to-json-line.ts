// JSON lets C1 controls and bidi characters through; escaped they are the same value and harmless on a screen.
const unsafe =
  /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e0fff}]/gu;

/** A value as JSON on one line, printable on any terminal. */
export function toJsonLine(value: unknown): string {
  return JSON.stringify(value).replace(unsafe, escapeUnits);
}

function escapeUnits(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    const unit = character.charCodeAt(index).toString(16).padStart(4, '0');
    return `\\u${unit}`;
  }).join('');
}

/** Replaces these characters by marks that any other writer of JSON keeps: `⟦U+202E⟧`. */
export function markInvisible(text: string): string {
  return text.replace(
    unsafe,
    (character) => `⟦U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟧`,
  );
}
