import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { holdFiles } from './hold-files.ts';

/** Puts a whole file where one may be, in one step. A link that stands there is replaced, not followed. */
export function replaceFile(file: string, content: string | Uint8Array, mode = 0o666): void {
  const fresh = `${file}.flame-new`;
  rmSync(fresh, { force: true, recursive: true });
  writeFileSync(fresh, content, { flag: 'wx', mode });
  const letGo = holdFiles([file]);
  try {
    renameSync(fresh, file);
  } finally {
    letGo();
  }
}
