import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { KnownLeads } from '../../../lib/core/machines/known-leads.ts';

const name = (at: number): string => `host/aaaaaaaa-${String(at).padStart(20, '0')}`;
const led = (at: number, term = at + 1) => ({
  ...{ lead: name(at), remote: 'origin', term, lease_ms: 600_000, renew_ms: 120_000 },
});

test('DST-1 who leads by the rules alone may do what only the lead may; on any other version all who did', () => {
  const leads = new KnownLeads();
  leads.allow(led(0));
  assert.equal(leads.on(led(0)), [name(0)]);
  leads.deny(led(1));
  assert.equal(leads.on(led(1)), [name(0)]);
  leads.allow(led(1));
  assert.equal(leads.on(led(1)), [name(1)]);
  assert.equal(leads.on(led(0)), [name(0), name(1)]);
  leads.deny(led(1));
  assert.equal(leads.on(led(1)), [name(0), name(1)], 'somebody else put it there again');
  assert.equal(new KnownLeads(leads.record()).on(led(1)), [name(0), name(1)]);
});

test('DST-1 where no rule says who leads, whoever says so itself does, and not in a name without a key', () => {
  const leads = new KnownLeads();
  leads.begin(led(0), false);
  assert.equal(leads.on(led(0)), [name(0)], 'the first');
  leads.begin(led(1), false);
  assert.equal(leads.all(), [name(0)]);
  leads.begin({ ...led(2), lead: 'host/bbbbbbbb' }, true);
  leads.saw({ ...led(2), lead: 'host/bbbbbbbb' });
  assert.equal(leads.all(), [name(0)]);
  leads.begin(led(1), true);
  assert.equal(leads.on(led(1)), [name(1)]);
});

test('DST-1 what is kept of who led is bounded; beyond that nothing is held against anybody for that', () => {
  const leads = new KnownLeads();
  for (let at = 0; at < 3_000; at++) leads.allow(led(at));
  leads.allow({ ...led(1), lead: 'x'.repeat(400) });
  assert.ok(leads.record().names.length <= 1_001);
  assert.equal(leads.on(led(2_999)), [name(2_999)]);
  assert.equal(leads.on(led(5_000)), []);
});

test.run();
