import { join } from 'node:path';
import { isNeverShown, realPathEvenIfMissing } from '../../util/real-and-private-paths.ts';
import { FlameError } from '../flame-error.ts';

interface PathLists {
  readonly blocked_paths: readonly string[];
  readonly hidden_paths: readonly string[] | null;
}

/**
 * Environment files, keys and credentials by the names tools give them. Examples may be read. Names that too many tools
 * read are left out: `*.pem` holds the authorities that TLS trusts, `.npmrc` the settings of installs.
 */
export const defaultHiddenPaths = [
  '**/.env',
  '**/.env[._-]!(*example*|*sample*|*template*|*dist*)',
  '**/.envrc',
  '**/*.secret',
  '**/*.key',
  '**/*.p12',
  '**/*.pfx',
  '**/*.jks',
  '**/{key,*[._-]key,privkey*}.pem',
  '**/id_{rsa,dsa,ecdsa,ed25519}',
  '**/.{netrc,pgpass,pypirc}',
];

/** Paths that no agent may ask to read. */
export function listUnreadablePaths({ blocked_paths, hidden_paths }: PathLists): readonly string[] {
  return hidden_paths ?? blocked_paths;
}

/** Paths that cells hide. Without a list of its own, the blocked paths named as secrets: programs need the rest. */
export function listMaskedPaths({ blocked_paths, hidden_paths }: PathLists): readonly string[] {
  return hidden_paths ?? blocked_paths.filter(isSecretsGlob);
}

const secretWord = /^(?:secrets?|keys?|keystores?|credentials?|passwords?|passwd|private|privkey\w*|id_\w+)$/;
const secretName = /^\.(?:env|netrc|pgpass|pypirc|htpasswd|ssh|gnupg|aws|kube)/;
const secretEnding = /\.(?:pem|p12|pfx|jks|keystore|gpg|asc|age|tfvars|tfstate)$/;

/** Whether a glob is about secrets, by the words in it: `.env*` and `config/secrets/**` are, `go.mod` isn't. */
export function isSecretsGlob(glob: string): boolean {
  return glob
    .toLowerCase()
    .split('/')
    .some((name) => {
      const plain = name.replace(/[*?]+/g, '');
      return (
        secretName.test(plain) ||
        secretEnding.test(plain) ||
        plain.split(/[^\p{L}\p{N}_]+|_(?=keys?\b)/u).some((word) => secretWord.test(word))
      );
    });
}

/**
 * An entry of `sandbox.read_paths` as an absolute path, and where it really is. Throws a FlameError `bad-read-path`
 * for what cells never show: homes, places of keys, what holds these, devices and sockets.
 */
export function resolveReadPathEntry(written: string, home: string): { readonly path: string; readonly real: string } {
  const path = written.startsWith('~/') ? join(home, written.slice(2)) : join(written);
  const real = realPathEvenIfMissing(path);
  const realHome = realPathEvenIfMissing(home);
  // Where the home is unknown it is `/`, and everything is above or below it.
  const homes = realHome === '/' ? ['/root'] : [realHome, home];
  if (homes.some((one) => isNeverShown(real, one) || isNeverShown(path, one)))
    throw new FlameError({
      kind: 'environment',
      code: 'bad-read-path',
      message: `sandbox.read_paths ${written} can't be shown to agents: ${real} is or contains a home folder or a folder of keys, or is a device or a socket.`,
      hints: ['Name only the folder that programs need, in .blueflame.yml: sandbox: { read_paths: [<folder>] }'],
      data: { read_path: written, real },
    });
  return { path, real };
}
