import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTempDir } from '../../support/repo.ts';

/** A key with a certificate that holds for the names, and the file of that certificate. */
export interface TestCertificate {
  readonly key: string;
  readonly cert: string;
  readonly file: string;
}

/** Whether one can be made here. */
export const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

/** Makes a certificate that vouches for itself. */
export function makeCertificate(...names: readonly string[]): TestCertificate {
  const folder = makeTempDir('tls');
  const [key, file] = [join(folder, 'server.pem'), join(folder, 'cert.pem')];
  const sign = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const subject = [
    '-subj',
    '/CN=registry of a test',
    '-addext',
    `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}`,
  ];
  execFileSync('openssl', [...sign, '-days', '2', '-keyout', key, '-out', file, ...subject], {
    stdio: 'pipe',
  });
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(file, 'utf8'), file };
}
