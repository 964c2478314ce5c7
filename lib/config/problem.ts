/** The position of something in a value: keys and list positions, outermost first. */
export type ValuePath = readonly PropertyKey[];

/** A stretch of the text: offsets of its first character and of the one after its last. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A mistake in a file, to be shown with the others. `message` ends a sentence that begins with `path`. */
export interface Problem extends Span {
  readonly path: string;
  readonly message: string;
  readonly hint: string | null;
}

/** Underlines end with the line they began on. */
export function toFirstLine(text: string, start: number, end: number): Span {
  const line = text.slice(start, end).split(/\r?\n/, 1)[0] ?? '';
  return { start, end: start + Math.max(1, line.trimEnd().length) };
}

/** Where the line of an offset begins. */
export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}
