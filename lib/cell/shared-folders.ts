import { existsSync } from 'node:fs';
import { randomName } from '../util/random-name.ts';
import { makeRunFolder, type RunFolder } from './run-folder.ts';

/** A folder that several cells are shown, all of them read-only. */
export interface SharedFolder {
  readonly path: string;
  /** This one needs it no more. */
  release(): Promise<void>;
}

/** Folders that are made once for all cells that are shown the same. */
export interface SharedFolders {
  /** The folder of that key; `fill` writes what is in it where there is none yet. Throws what that throws. */
  take(key: string, fill: (folder: string) => void): SharedFolder;
  /** Removes those that nobody needs, and from now on each when nobody does any more. */
  drop(): Promise<void>;
}

interface Kept {
  readonly folder: RunFolder;
  users: number;
}

// For the next agent: one after the other would each make them anew.
const mostIdle = 2;

export function keepSharedFolders(commonDir: string): SharedFolders {
  /** Last, who was used last. */
  const kept = new Map<string, Kept>();
  const make = (fill: (folder: string) => void): Kept => {
    // As a run folder it names its owner, so that a kill leaves nothing that can't be found.
    const folder = makeRunFolder(commonDir, randomName('shared'));
    try {
      fill(folder.control);
    } catch (error) {
      void folder.remove();
      throw error;
    }
    return { folder, users: 0 };
  };
  // Whoever needs one later takes it along.
  let isOver = false;
  const dropAllBut = async (count: number): Promise<void> => {
    const idle = [...kept].filter(([, { users }]) => users === 0);
    const dropped = idle.slice(0, Math.max(0, idle.length - count));
    for (const [key] of dropped) kept.delete(key);
    await Promise.all(dropped.map(([, { folder }]) => folder.remove()));
  };
  return {
    take(key, fill) {
      const known = kept.get(key);
      // What is kept in the repository's folder may be cleared up by hand while no agent runs.
      const one = known !== undefined && existsSync(known.folder.control) ? known : make(fill);
      kept.set(key, one);
      one.users += 1;
      let isReleased = false;
      return {
        path: one.folder.control,
        async release() {
          if (isReleased) return;
          isReleased = true;
          one.users -= 1;
          if (one.users > 0) return;
          if (kept.get(key) !== one) return one.folder.remove();
          kept.delete(key);
          kept.set(key, one);
          await dropAllBut(isOver ? 0 : mostIdle);
        },
      };
    },
    drop() {
      isOver = true;
      return dropAllBut(0);
    },
  };
}
