import { resolve } from 'node:path';
import { findConfigFile } from '../../config/find-config-file.ts';
import type { Repository } from '../../domain/ports/git-port.ts';
import type { CommandArgs, Io } from '../../domain/shown/command.ts';
import type { DecisionLog } from '../../domain/state/decision-log.ts';
import { whereThePersonIs } from '../../git/objects/git-access.ts';
import { CatFile } from '../../git/process/cat-file.ts';
import { discoverRepository } from '../../git/process/discover-repository.ts';
import { type Idents, openIdents } from '../../git/process/read-identity.ts';
import type { AdmissionStore } from '../../store/admission/admission-store.ts';
import { cloneSigner } from '../../trust/clone-key.ts';
import { adoptMovedClone } from '../../trust/own-tips.ts';
import { openShownCommits, type ShownCommits } from '../../trust/shown-commits.ts';
import { createOutput, type Output } from '../../ui/terminal/output.ts';
import { readGitColor } from './git-color.ts';
import { warnOfNewerConfig } from './newer-config.ts';
import { openTrustedStore } from './open-trusted-store.ts';
import { type SessionMeant, sessionMeant } from './session-meant.ts';
import { readWishes, type Wishes } from './wishes.ts';

/** The parts for a command that only reads notes. */
export interface Looking {
  readonly repository: Repository;
  /** Author and committer here. */
  readonly idents: Idents;
  /** The repository's objects and refs, which all parts read by one git. */
  readonly catFile: CatFile;
  /** The state as this clone trusts it. */
  readonly store: AdmissionStore;
  /** Which decisions were made in this clone. */
  readonly decided: DecisionLog;
  /** Which commits the person was shown. */
  readonly shown: ShownCommits;
  readonly output: Output;
  readonly meant: SessionMeant;
  /** The configuration named with --config, absolute; null: the one of the repository. */
  readonly configFile: string | null;
  readonly wishes: Wishes;
}

/** Opens the state of the repository for the time of `work`; it is closed afterwards. */
export async function withStore(
  args: CommandArgs,
  io: Io,
  work: (looking: Looking) => Promise<number>,
): Promise<number> {
  const context = { cwd: io.cwd, env: io.env };
  // Its content doesn't matter to who only reads; a name that leads nowhere is a mistake all the same.
  const { config, session } = args.globals;
  const configFile = config === null ? null : resolve(io.cwd, config);
  if (configFile !== null) await findConfigFile(io.cwd, configFile);
  const asked = readGitColor(io, args.globals);
  asked.catch(() => undefined);
  const repository = await discoverRepository(context);
  const { commonDir, objectFormat } = repository;
  await adoptMovedClone(io.env, commonDir);
  const idents = openIdents(whereThePersonIs({ context, repository }));
  const signer = cloneSigner({ env: io.env, commonDir }, objectFormat);
  const catFile = new CatFile(context, commonDir);
  const storing = { context, commonDir, objectFormat, idents, signer, catFile };
  const { store, decided } = await openTrustedStore(storing);
  try {
    // git is asked for the notes while it still answers what else was asked.
    store.raw.begin();
    const gitColor = await asked;
    const shown = openShownCommits({ env: io.env, commonDir });
    const output = createOutput(io, args.globals, { gitColor });
    await warnOfNewerConfig(args.command, { git: { repository }, configFile, output });
    const meant = sessionMeant(session);
    const wishes = readWishes(args, io);
    const looking = {
      repository,
      idents,
      catFile,
      store,
      decided,
      shown,
      output,
      meant,
      configFile,
      wishes,
    };
    return await work(looking);
  } finally {
    await store.close();
    await catFile.close();
  }
}
