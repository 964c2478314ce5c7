import { connect } from 'node:net';
import { createServer } from 'node:tls';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hasOpenssl, makeCertificate } from '../../cell/egress/tls.ts';
import { listening, serveHttp } from '../../support/remote-lines.ts';
import type { TestRepo } from '../../support/repo.ts';
import { testIf } from '../../support/skip.ts';
import { until } from '../../support/until.ts';
import { makeClones, stateOf, taskIn } from '../sync-clones.ts';
import { claim, openMachine } from './machine.ts';

// As the large hosts are reached: TLS by a certificate that the person's settings vouch for, and a token that the
// person's credential helper knows.

const it = testIf(test, hasOpenssl, 'openssl is missing');
const certificate = hasOpenssl ? makeCertificate('localhost') : { key: '', cert: '', file: '' };
const ids = ['task-001', 'task-002', 'task-003'];

interface Rig {
  readonly remote: TestRepo;
  readonly repo: TestRepo;
}

async function makeRig(token: () => string): Promise<Rig> {
  const { remote, clones } = await makeClones(ids);
  const isAllowed = (credentials: string | undefined): boolean =>
    credentials === `Basic ${Buffer.from(`lea:${token()}`).toString('base64')}`;
  const line = await serveHttp(remote.path, null, (_, credentials) => (isAllowed(credentials) ? null : 'unauthorized'));
  const { port, pathname } = new URL(line.url('localhost'));
  const outside = createServer({ key: certificate.key, cert: certificate.cert }, (far) => {
    const near = connect(Number(port), '127.0.0.1');
    far.pipe(near).pipe(far);
    for (const end of [far, near]) end.on('error', () => undefined);
  });
  const securePort = await listening(outside);
  test.after(() => {
    line.close();
    outside.close();
  });
  const [repo] = clones;
  repo.git('remote', 'set-url', 'origin', `https://localhost:${securePort}${pathname}`);
  repo.git('config', 'http.sslCAInfo', certificate.file);
  repo.git('config', 'credential.helper', '!f() { echo username=lea; echo password=right; }; f');
  return { remote, repo };
}

it('DST-1 TRU-2 by https a machine is served with the certificates and credentials of the person', async () => {
  const { remote, repo } = await makeRig(() => 'right');
  const machine = await openMachine(repo, 'host/a');
  for (const id of ids) assert.is(await claim(machine, id, 'worker-0000000a'), true);
  assert.is(stateOf(repo), stateOf(remote));
  await machine.close();
});

it('DST-2 a token or a certificate that counts no more is told as that; what was decided waits, and goes once it does', async () => {
  let token = 'right';
  const { remote, repo } = await makeRig(() => token);
  const machine = await openMachine(repo, 'host/a');
  assert.is(await claim(machine, 'task-001', 'worker-0000000a'), true);
  for (const [id, spoil, mend, message] of [
    ['task-002', () => (token = 'another'), () => (token = 'right'), /Authentication failed|could not read/],
    [
      'task-003',
      () => repo.git('config', '--unset', 'http.sslCAInfo'),
      () => repo.git('config', 'http.sslCAInfo', certificate.file),
      /certificate/i,
    ],
  ] as const) {
    const [before, told] = [stateOf(remote), machine.lost.length];
    spoil();
    const claimed = claim(machine, id, 'worker-0000000a');
    await until('it is told', () => machine.lost.length > told);
    assert.match(machine.lost.at(-1)?.message ?? '', message);
    assert.is(stateOf(remote), before, 'nothing was sent');
    assert.is((await taskIn(repo, id)).status, 'pending');
    mend();
    assert.is(await claimed, true);
  }
  await machine.close();
  assert.is(stateOf(repo), stateOf(remote));
});

test.run();
