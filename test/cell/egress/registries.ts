import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { listSearchFolders } from '../../../lib/cell/sandbox/tool-paths.ts';
import { makeTempDir } from '../../support/repo.ts';

/** A registry of packages on loopback. */
export interface TestRegistry {
  readonly url: string;
  /** What was asked of it, with the credential that came along. */
  readonly asked: readonly { readonly path: string; readonly authorization: string | undefined }[];
  close(): void;
}

const opened: { close(): void }[] = [];

/** Ends all that were started; for `test.after.each`. */
export function closeRegistries(): void {
  for (const registry of opened.splice(0)) registry.close();
}

/** Whether a program is there and says that all is well. */
export function works(program: string, args: readonly string[]): boolean {
  return spawnSync(program, args).status === 0;
}

type Say = (path: string, url: string) => Buffer | string | null;

/** Serves what `say` answers, 404 where that is null. */
export async function startRegistry(print: Say): Promise<TestRegistry> {
  const asked: { path: string; authorization: string | undefined }[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.push({ path, authorization: request.headers.authorization });
    const body = print(path, url);
    if (body === null) response.writeHead(404).end();
    else if (path.includes('simple')) response.writeHead(200, { 'content-type': 'text/html' }).end(body);
    else response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const url = `http://localhost:${(server.address() as AddressInfo).port}`;
  const registry = { url, asked, close: () => server.close() };
  opened.push(registry);
  return registry;
}

/** npm's: one package, `greeting` 1.0.0. `integrity` is what a lock file says of it. */
export async function startNpmRegistry(
  more: { readonly facts?: object; readonly files?: Readonly<Record<string, string>> } = {},
): Promise<TestRegistry & { readonly integrity: string }> {
  const facts = { name: 'greeting', version: '1.0.0', main: 'index.js', ...more.facts };
  const files = {
    'package/package.json': JSON.stringify(facts),
    'package/index.js': "module.exports = 'hello from a package';\n",
    ...more.files,
  };
  const tarball = pack(files);
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
  const registry = await startRegistry((path, url) => {
    if (path.endsWith('.tgz')) return tarball;
    if (!path.endsWith('/greeting')) return null;
    const dist = { tarball: `${url}/npm/greeting/-/greeting-1.0.0.tgz`, integrity };
    const version = { name: 'greeting', version: '1.0.0', dist };
    return JSON.stringify({
      name: 'greeting',
      'dist-tags': { latest: '1.0.0' },
      versions: { '1.0.0': version },
    });
  });
  return { ...registry, integrity };
}

/** PATH with the interpreter itself in front: pyenv's shims write beside themselves after each install. */
export function toolPath(): string {
  const options = { encoding: 'utf8' } as const;
  const { status, stdout } = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], options);
  const folders = listSearchFolders(process.env.PATH ?? '');
  return (status === 0 ? [dirname(stdout.trim()), ...folders] : folders).join(':');
}

/** A wheel of `greeting` in a folder of its own. */
export function makeWheel(): { readonly folder: string; readonly name: string } {
  const folder = makeTempDir('wheel');
  const name = 'greeting-1.0.0-py3-none-any.whl';
  const make = `import zipfile
w = zipfile.ZipFile(${JSON.stringify(join(folder, name))}, "w")
w.writestr("greeting.py", "words = 'hello from a wheel'\\n")
d = "greeting-1.0.0.dist-info/"
w.writestr(d + "METADATA", "Metadata-Version: 2.1\\nName: greeting\\nVersion: 1.0.0\\n")
w.writestr(d + "WHEEL", "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
w.writestr(d + "RECORD", "")
w.close()`;
  execFileSync('python3', ['-c', make]);
  return { folder, name };
}

/** Python's: one wheel. */
export async function startPythonIndex(): Promise<TestRegistry> {
  const { folder, name } = makeWheel();
  const wheel = readFileSync(join(folder, name));
  return startRegistry((path) => {
    if (path.endsWith('.whl')) return wheel;
    return path.startsWith('/simple/greeting') ? `<a href="../../files/${name}">${name}</a>` : null;
  });
}

/** cargo's: a sparse index with one crate. `checksum` is what a lock file says of it. */
export async function startCrates(): Promise<TestRegistry & { readonly checksum: string }> {
  const crate = pack({
    'greeting-1.0.0/Cargo.toml': '[package]\nname = "greeting"\nversion = "1.0.0"\nedition = "2021"\n',
    'greeting-1.0.0/src/lib.rs': 'pub const WORDS: &str = "hello from a crate";\n',
  });
  const cksum = createHash('sha256').update(crate).digest('hex');
  const registry = await startRegistry((path, url) => {
    // Of the loopback name the cell knows nothing: a registry says where it is as it is asked.
    if (path === '/index/config.json')
      return JSON.stringify({ dl: `http://registry-${new URL(url).port}.invalid/crates` });
    if (path === '/index/gr/ee/greeting')
      return JSON.stringify({
        name: 'greeting',
        vers: '1.0.0',
        deps: [],
        cksum,
        features: {},
        yanked: false,
      });
    return path.startsWith('/crates/') ? crate : null;
  });
  return { ...registry, checksum: cksum };
}

/** go's: a proxy with one module. */
export async function startGoProxy(): Promise<TestRegistry> {
  const zip = zipOf({
    'example.test/greeting@v1.0.0/go.mod': 'module example.test/greeting\n\ngo 1.19\n',
    'example.test/greeting@v1.0.0/greeting.go': 'package greeting\n\nconst Words = "hello from a module"\n',
  });
  return startRegistry((path) => {
    if (path.endsWith('.zip')) return zip;
    if (path.endsWith('.mod')) return 'module example.test/greeting\n\ngo 1.19\n';
    return path.endsWith('.info') ? JSON.stringify({ Version: 'v1.0.0', Time: '2026-01-01T00:00:00Z' }) : null;
  });
}

function write(files: Readonly<Record<string, string>>): string {
  const folder = makeTempDir('package');
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

function pack(files: Readonly<Record<string, string>>): Buffer {
  const [top = ''] = (Object.keys(files)[0] ?? '').split('/');
  return execFileSync('tar', ['-C', write(files), '-czf', '-', top]);
}

function zipOf(files: Readonly<Record<string, string>>): Buffer {
  const folder = write(files);
  const make = `import zipfile, sys
z = zipfile.ZipFile("${folder}.zip", "w")
[z.write("${folder}/" + n, n) for n in sys.argv[1:]]
z.close()`;
  execFileSync('python3', ['-c', make, ...Object.keys(files)]);
  return readFileSync(`${folder}.zip`);
}
