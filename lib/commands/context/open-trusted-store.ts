import type { DecisionLog } from '../../domain/state/decision-log.ts';
import { type AdmissionStore, openAdmissionStore } from '../../store/admission/admission-store.ts';
import { openStore } from '../../store/open-store.ts';
import type { StoreOptions } from '../../store/store-options.ts';
import { findStartingAgent } from '../../trust/chat-processes.ts';
import { openDecisionLog } from '../../trust/decisions/open-decision-log.ts';
import { openOwnStateTips } from '../../trust/own-state-tips.ts';

declare const FLAME_VERSION: string;

/** Opens the state of a repository as this clone trusts it, and the log of what was decided here. */
export async function openTrustedStore(
  options: StoreOptions,
): Promise<{ readonly store: AdmissionStore; readonly decided: DecisionLog }> {
  const { commonDir } = options;
  const { env } = options.context;
  const decided = openDecisionLog({ env, commonDir, chat: () => findStartingAgent({ commonDir, env }) });
  const ownTips = openOwnStateTips(env, { commonDir, version: FLAME_VERSION });
  const storing = { ...options, ownTips };
  return { store: openAdmissionStore(await openStore(storing), { ...storing, decided }), decided };
}
