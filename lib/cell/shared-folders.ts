import { randomName } from '../util/random-name.ts';
import { makeRunFolder, type RunFolder } from './run-folder.ts';

/** A folder that several cells are shown, all of them read-only. */
export interface SharedFolder {
  readonly path: string;
  /** Nothing needs it any more; the last one removes it. */
  release(): Promise<void>;
}

/** Folders that are made once for all cells that live at the same time. */
export interface SharedFolders {
  /** The folder of that key; `fill` writes what is in it where no living cell has it yet. Throws what that throws. */
  take(key: string, fill: (folder: string) => void): SharedFolder;
}

interface Kept {
  readonly folder: RunFolder;
  users: number;
}

export function keepSharedFolders(commonDir: string): SharedFolders {
  const kept = new Map<string, Kept>();
  const make = (key: string, fill: (folder: string) => void): Kept => {
    // As a run folder it names its owner, so that a kill leaves nothing that can't be found.
    const folder = makeRunFolder(commonDir, randomName('shared'));
    try {
      fill(folder.control);
    } catch (error) {
      void folder.remove();
      throw error;
    }
    const made = { folder, users: 0 };
    kept.set(key, made);
    return made;
  };
  return {
    take(key, fill) {
      const one = kept.get(key) ?? make(key, fill);
      one.users += 1;
      let isReleased = false;
      return {
        path: one.folder.control,
        async release() {
          if (isReleased) return;
          isReleased = true;
          one.users -= 1;
          if (one.users > 0) return;
          kept.delete(key);
          await one.folder.remove();
        },
      };
    },
  };
}
