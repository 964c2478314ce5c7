import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isPrivateAddress } from '../../../lib/cell/egress/egress-rules.ts';
import { egressSchema, readEgressHosts } from '../../../lib/domain/config/egress.ts';

test('EGR-1 a list names hosts, with a port where it is another than that of TLS, presets, and from-config', () => {
  const written = [
    'npm',
    'from-config',
    'files.example.com',
    'mirror.example.com:8443',
    'Registry.Example.COM',
    'build-box:8080',
  ];
  const { setup } = egressSchema.parse({ setup: written });
  const hosts = ['files.example.com:443', 'mirror.example.com:8443', 'registry.example.com:443', 'build-box:8080'];
  for (const host of hosts) assert.ok(readEgressHosts(setup).has(host), host);
  assert.is(readEgressHosts(setup).size, hosts.length + readEgressHosts(['npm']).size);
  assert.equal(egressSchema.parse({}).work, []);
});

const refused: readonly (readonly [string, RegExp])[] = [
  ['*', /a wildcard would open hosts that no person checked/],
  ['*.example.com', /wildcard/],
  ['192.0.2.7', /must be the name of a host, not an address/],
  ['192.0.2.7:443', /not an address/],
  ['[2001:db8::1]:443', /not an address/],
  ['::1', /not an address/],
  ['2130706433', /not an address/],
  ['0x7f.1', /not an address/],
  ['https://registry.example.com', /without https:\/\//],
  ['registry.example.com/npm', /neither a host/],
  ['user@registry.example.com', /neither a host/],
  ['registry.example.com:0', /no port/],
  ['registry.example.com:70000', /no port/],
  ['registry.example.com:', /no port/],
  ['nmp', /neither a host nor one of npm, pypi, crates, go, from-config/],
  ['', /neither a host/],
];
for (const [entry, why] of refused)
  test(`EGR-1 ${JSON.stringify(entry)} is no entry of a list`, () => {
    for (const key of ['setup', 'work', 'diagnostics', 'private']) {
      const result = egressSchema.safeParse({ [key]: [entry] });
      assert.not.ok(result.success);
      assert.match(result.error?.issues[0]?.message ?? '', why);
    }
  });

test('EGR-1 public addresses are told from those of a machine or its network', () => {
  for (const address of ['93.184.216.34', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '11.0.0.1'])
    assert.not.ok(isPrivateAddress(address), address);
  for (const address of [
    '172.31.255.255',
    '100.127.255.255',
    '::',
    '::ffff:10.0.0.1',
    '::ffff:7f00:1',
    'fe80::1%eth0',
    '255.255.255.255',
  ])
    assert.ok(isPrivateAddress(address), address);
});

test.run();
