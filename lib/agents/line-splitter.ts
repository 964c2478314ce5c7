/** Puts the lines of a stream together again; `rest` is what has no line break yet. */
export function lineSplitter(): { push(chunk: string): string[]; rest(): string[] } {
  let pending = '';
  return {
    push: (chunk) => {
      const lines = `${pending}${chunk}`.split('\n');
      pending = lines.pop() ?? '';
      return lines;
    },
    rest: () => [pending],
  };
}
