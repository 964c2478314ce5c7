/** Options for planning a session. */
export const planOptions = {
  from: {
    kind: 'text',
    value: 'FILE',
    summary: 'read the plan from a YAML or JSON file; -: from standard input',
  },
  new: { kind: 'flag', summary: 'leave an open session as it is and start another' },
} as const;

/** Of commands that show changesets on a page. */
export const pageOptions = {
  web: { kind: 'flag', summary: 'let changesets be decided on a page in the browser too' },
  open: { kind: 'no-flag', summary: 'print the address of the page, and start no browser' },
} as const;

/** Of commands that land what was approved. */
export const requestOptions = {
  pr: { kind: 'flag', summary: 'push the landing branch and open its pull request with gh' },
} as const;
