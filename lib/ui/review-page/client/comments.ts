/** Comments on lines: none yet. */
export function showComments(_part: HTMLElement): void {}
