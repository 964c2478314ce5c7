/** How long a hook may hold a call of a CLI that sets hooks no limit of its own, in milliseconds: a day. */
export const longestHold = 86_400_000;
