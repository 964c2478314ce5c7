import type { Io } from '../../domain/shown/command.ts';
import type { DecisionLog } from '../../domain/state/decision-log.ts';
import { prepareRepository } from '../../git/setup/prepare-repository.ts';
import { noteClone } from '../../trust/own-tips.ts';
import { clearLeftovers } from './clear-leftovers.ts';
import { keepConfig } from './kept-configs.ts';
import { requireWorkTree } from './read-config.ts';
import type { Reading } from './read-state.ts';
import { openTrustDesk } from './repository-trust.ts';
import { requireSoundState } from './require-sound-state.ts';
import { type RunConfig, type RunConfigSource, readRunConfig } from './run-config.ts';
import { readCounting } from './signed-decisions.ts';

/** A repository that can be worked in. */
export interface Ready extends RunConfigSource {
  /** Its state, with the decisions that count by the configuration. */
  readonly reading: Reading;
  readonly loaded: RunConfig;
  /** Reads the decisions that count by the configuration as it is now. */
  recount(): Promise<DecisionLog>;
}

/** Makes the repository ready for work: its state is sound, its configuration allowed, what a kill left cleared. */
export async function makeReady(state: Reading, io: Io): Promise<Ready> {
  const root = requireWorkTree(state.git);
  await requireSoundState(state, { cwd: root, env: io.env });
  const trust = openTrustDesk(io, state);
  const loaded = await readRunConfig({ reading: state, root, trust }, io);
  // Named signers count once the configuration is allowed.
  const recount = async (): Promise<DecisionLog> => (await readCounting(io, state)).decided;
  const reading = { ...state, decided: await recount() };
  for (const warning of loaded.warnings) reading.output.warn(warning);
  await sayWhatGoesOn(reading);
  if (!state.wishes.isDry) await prepare(reading, io, { root, loaded });
  return { reading, root, trust, loaded, recount };
}

/** Names sessions that another clone says have ended: the first step in one writes, for all clones, that it goes on. */
async function sayWhatGoesOn({ store, output }: Reading): Promise<void> {
  for (const { session, about, counts } of (await store.snapshot()).unverified) {
    if (about !== '' || counts === null) continue;
    output.warn(
      `Another clone says that ${session} has ended, and it has not here. It goes on here, and what is done in it opens it again for all.`,
    );
    output.hint(`To take it as ended: git flame sync --accept ${session}`);
  }
}

/** Clears what a killed run left, and sets git up to ignore worktrees and show reviews. */
async function prepare(
  reading: Reading,
  io: Io,
  { root, loaded }: Pick<Ready, 'root' | 'loaded'>,
): Promise<void> {
  const { commonDir } = reading.git.repository;
  noteClone(io.env, commonDir);
  await clearLeftovers(reading, io, root);
  await prepareRepository({ cwd: root, env: io.env }, commonDir, loaded.config.project.worktree_dir);
  await keepConfig(commonDir, loaded);
}
