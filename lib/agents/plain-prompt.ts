// Linux takes at most 128 kB in one argument.
export const maxArgumentBytes = 100_000;

/** Whether a prompt can be given as one argument. */
export function fitsArgument(prompt: string): boolean {
  return Buffer.byteLength(prompt) <= maxArgumentBytes;
}

/** A first word with a slash would be taken for a command of the CLI, a dash for an option. */
export function plainPrompt(prompt: string): string {
  return /^\s*[/\-!#@]/.test(prompt) || prompt.trim() === '' ? `Your task:\n${prompt}` : prompt;
}
