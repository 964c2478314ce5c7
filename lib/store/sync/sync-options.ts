import type { ObjectHashFormat } from '../../git/objects/make-object.ts';
import type { GitContext } from '../../git/process/run-git.ts';
import type { MergeCompletionCheck } from '../admission/merge-completion-check.ts';

export interface SyncOptions {
  /** git where the person stands: a remote's path may be relative to it. */
  readonly context: GitContext;
  readonly commonDir: string;
  readonly objectFormat: ObjectHashFormat;
  readonly remote: string;
  /** Only say what would happen: objects may be fetched, no ref moves anywhere. */
  readonly isDry: boolean;
  /** Whether what can't be read here may be sent all the same. */
  readonly passesDamage?: boolean;
  /** Whether what is here may take the place of what a newer version wrote on the remote. */
  readonly keepsMine?: boolean;
  /** Local evidence about ends in notes; without it they are believed. */
  readonly ends?: MergeCompletionCheck;
  /** Writes for the person after the merge, before anything is sent. */
  readonly settle?: () => Promise<void>;
}
