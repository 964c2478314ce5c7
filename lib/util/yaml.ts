// To be imported lazily; see lockfile.ts.
export { LineCounter, parseDocument, stringify } from 'yaml';
