// To be imported lazily; see util/lockfile.ts.
export { simpleGit } from 'simple-git';
