import type { CatFile } from '../../git/process/cat-file.ts';
import { openGitIdentities } from '../../git/process/git-identity.ts';
import type { StateReader } from '../notes/state-reader.ts';
import type { StoreOptions } from '../store-options.ts';
import { GroupedStoreWriter } from './grouped-writer.ts';
import { ObjectWriter } from './ref-publisher.ts';
import { updateReviewNotesForGitLog } from './update-review-notes.ts';

/** Opens the writer of a repository's state; the reader knows its writes without reading them. */
export function openWriter(
  options: StoreOptions,
  reading: { readonly catFile: CatFile; readonly reader: StateReader },
): GroupedStoreWriter {
  const { context, commonDir, objectFormat, idents = openGitIdentities(context) } = options;
  return new GroupedStoreWriter({
    context,
    idents,
    commonDir,
    objectFormat,
    ...reading,
    objects: new ObjectWriter({ context, commonDir, objectFormat }),
    now: options.now ?? (() => new Date()),
    host: options.hostname ?? null,
    onReviewed: (state) => updateReviewNotesForGitLog({ ...options, catFile: reading.catFile }, state),
    ...(options.ownTips === undefined ? {} : { ownTips: options.ownTips }),
  });
}
