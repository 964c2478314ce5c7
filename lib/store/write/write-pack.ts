import { createHash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { deflateSync } from 'node:zlib';
import type { NewObject, ObjectFormat } from '../../git/objects/make-object.ts';
import { type GitContext, runGit } from '../../git/process/run-git.ts';

const typeNumbers = { commit: 1, tree: 2, blob: 3 } as const;

/** Adds many objects as one pack: a plan of a thousand tasks would be thousands of files otherwise. */
export async function writePack(
  context: GitContext,
  options: { readonly gitDir: string; readonly objectFormat: ObjectFormat },
  objects: readonly NewObject[],
): Promise<void> {
  const head = Buffer.alloc(12);
  head.write('PACK', 0, 'latin1');
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(objects.length, 8);
  const parts: Uint8Array[] = [head];
  for (const [at, { type, bytes }] of objects.entries()) {
    parts.push(entryHeader(typeNumbers[type], bytes.length), deflateSync(bytes, { level: 1 }));
    // Agents are being read from meanwhile.
    if (at % 500 === 499) await turn();
  }
  const pack = Buffer.concat(parts);
  const checksum = createHash(options.objectFormat).update(pack).digest();
  await runGit(
    { ...context, cwd: options.gitDir },
    [`--git-dir=${options.gitDir}`, 'index-pack', '--stdin'],
    { input: Buffer.concat([pack, checksum]) },
  );
}

/** Type and size: four bits of the size in the first byte, seven in each that follows. */
function entryHeader(type: number, size: number): Buffer {
  const bytes = [(type << 4) | (size & 15)];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 128;
    bytes.push(rest & 127);
  }
  return Buffer.from(bytes);
}
