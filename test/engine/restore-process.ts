import { finishMotions } from '../../lib/git/refs/finish-motions.ts';
import { heedingStore } from '../../lib/store/admission/admission-store.ts';
import { restoreOwn } from '../../lib/store/admission/restore-own.ts';
import { openStore } from '../../lib/store/open-store.ts';
import { openOrigins } from '../../lib/trust/decisions/open-origins.ts';

// A restore of everything in a process of its own, which can be killed.
const [commonDir = ''] = process.argv.slice(2);
const context = { cwd: commonDir, env: process.env };
const storing = { context, commonDir, objectFormat: 'sha1' } as const;
await finishMotions(context, commonDir);
const origins = openOrigins({ env: process.env, commonDir });
const store = heedingStore(await openStore(storing), { ...storing, origins });
await restoreOwn(store, origins, { actor: 'Lea Lead', isMeant: () => true, check: () => undefined });
await store.close();
