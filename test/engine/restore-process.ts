import { finishKilledRefChanges } from '../../lib/git/refs/finish-killed-ref-changes.ts';
import { openAdmissionStore } from '../../lib/store/admission/admission-store.ts';
import { restoreOwnVersions } from '../../lib/store/admission/restore-own-versions.ts';
import { openStore } from '../../lib/store/open-store.ts';
import { openDecisionLog } from '../../lib/trust/decisions/open-decision-log.ts';

// A restore of everything in a process of its own, which can be killed.
const [commonDir = ''] = process.argv.slice(2);
const context = { cwd: commonDir, env: process.env };
const storing = { context, commonDir, objectFormat: 'sha1' } as const;
await finishKilledRefChanges(context, commonDir);
const decided = openDecisionLog({ env: process.env, commonDir });
const store = openAdmissionStore(await openStore(storing), { ...storing, decided });
await restoreOwnVersions(store, decided, {
  actor: 'Lea Lead',
  isSelected: () => true,
  check: () => undefined,
});
await store.close();
