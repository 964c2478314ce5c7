/** Lines of a file that are spoken of together: `to`, the last one, is left out where it is one line. */
export interface LineRange {
  readonly line: number;
  readonly to?: number | undefined;
}

/** `12`, or `12-15`; lines of the old side have a minus in front. */
export function nameLines({ line, to, side }: LineRange & { readonly side?: 'old' | 'new' }): string {
  const sign = side === 'old' ? '-' : '';
  return to === undefined || to === line ? `${sign}${line}` : `${sign}${line}-${to}`;
}
