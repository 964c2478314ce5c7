import { join } from 'node:path';
import { isNeverShown, realPathOf } from '../../util/path-places.ts';
import { FlameError } from '../flame-error.ts';

/**
 * An entry of `sandbox.read_paths` as an absolute path, and where it really is. Throws a FlameError `bad-read-path`
 * for what cells never show: homes, places of keys, what holds these, devices and sockets.
 */
export function placeReadPath(
  written: string,
  home: string,
): { readonly path: string; readonly real: string } {
  const path = written.startsWith('~/') ? join(home, written.slice(2)) : join(written);
  const real = realPathOf(path);
  const realHome = realPathOf(home);
  // Where the home is unknown it is `/`, and everything is above or below it.
  const homes = realHome === '/' ? ['/root'] : [realHome, home];
  if (homes.some((one) => isNeverShown(real, one) || isNeverShown(path, one)))
    throw new FlameError({
      kind: 'environment',
      code: 'bad-read-path',
      message: `sandbox.read_paths ${written} can't be shown to agents: ${real} is a home, a place of keys, holds one of these, or is a device or a socket.`,
      hints: ['Name the folder that programs need in .blueflame.yml: sandbox: { read_paths: [<folder>] }'],
      data: { read_path: written, real },
    });
  return { path, real };
}
