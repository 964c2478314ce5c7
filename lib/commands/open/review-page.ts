import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Io } from '../../domain/shown/command.ts';
import { comparedToSeen } from '../../engine/review/since-seen.ts';
import type { PageOpener } from '../../ui/questions/shared-gates.ts';
import { keptReviewSchema, nothingKept } from '../../ui/review-page/kept-review.ts';
import type { ReviewPage, ReviewPageOptions, ReviewPagePart } from '../../ui/review-page/open-review-page.ts';
import type { PagePreferences } from '../../ui/review-page/page-facts.ts';
import { preferencesSchema } from '../../ui/review-page/remembered.ts';
import { replaceFile } from '../../util/write-files.ts';
import { openPage } from './open-page.ts';
import { strangerOnPage } from './own-terminal.ts';
import { readPageFacts } from './read-page-facts.ts';
import type { Reading } from './read-state.ts';

/** The review page of a command: opened when the first changeset is asked about, or when the person wants it. */
export interface HeldPage extends PageOpener {
  refresh(): void;
  /** For a server that serves other pages too, below a path of its own; to be called before `open`. */
  mount(): Promise<ReviewPagePart>;
  close(): Promise<void>;
}

type HeldParts = Pick<ReviewPage, 'ask' | 'refresh' | 'close'>;

export function holdReviewPage(io: Io, reading: Reading): HeldPage {
  let opening: Promise<HeldParts> | null = null;
  let page: HeldParts | null = null;
  const hold = (opened: Promise<HeldParts>): Promise<HeldParts> => {
    opening = opened.then((one) => (page = one));
    return opening;
  };
  return {
    open: () => opening ?? hold(serve(io, reading)),
    mount: async () => {
      const { createReviewPage } = await import('../../ui/review-page/open-review-page.ts');
      const part = createReviewPage(optionsOf(reading));
      // The server that it is mounted on ends it.
      await hold(
        Promise.resolve({
          ask: (question, withdrawn) => part.ask(question, withdrawn),
          refresh: () => part.refresh(),
          close: async () => undefined,
        }),
      );
      return part;
    },
    isWanted: () => opening !== null || reading.wishes.page.isWanted,
    refresh: () => page?.refresh(),
    close: async () => page?.close(),
  };
}

async function serve(io: Io, reading: Reading): Promise<ReviewPage> {
  const { openReviewPage } = await import('../../ui/review-page/open-review-page.ts');
  const { git, output, wishes } = reading;
  const page = await openReviewPage(optionsOf(reading), {
    stranger: strangerOnPage(git.repository, io),
  });
  output.events.emit({ event: 'review-page', url: page.url });
  if (!wishes.page.opensBrowser || io.stderr.isTTY !== true) return page;
  const forget = openPage(io, git.repository.commonDir, page);
  return {
    ...page,
    close: async () => {
      await forget();
      await page.close();
    },
  };
}

function optionsOf({ git, store, shown, output, meant }: Reading): ReviewPageOptions {
  const { commonDir } = git.repository;
  return {
    source: {
      read: async () => {
        const snapshot = await store.snapshot();
        return readPageFacts(snapshot, { session: meant.require(snapshot), commonDir });
      },
      patch: async (changeset, view) => {
        const patch = await git.readPatch(changeset.parent, changeset.commit, view);
        shown.note(meant.require(await store.snapshot()).id, [changeset]);
        return patch;
      },
      text: async ({ commit }, path) => (await git.readTexts(commit, [path])).get(path) ?? null,
      since: async (changeset) => {
        const snapshot = await store.snapshot();
        const session = meant.require(snapshot);
        const tasks = snapshot.tasksOf(session.id).filter(({ id }) => changeset.tasks.includes(id));
        return comparedToSeen({ git, events: output.events }, session, { changeset, tasks });
      },
    },
    preferences: preferencesIn(commonDir),
    kept: keptIn(commonDir),
  };
}

const defaults: PagePreferences = { layout: 'line', theme: 'auto' };

/** Reads the person's preferences for the page; defaults where nothing was chosen. */
export async function readPreferences(commonDir: string): Promise<PagePreferences> {
  try {
    return preferencesSchema.parse(JSON.parse(await readFile(preferencesFile(commonDir), 'utf8')));
  } catch {
    return defaults;
  }
}

function preferencesFile(commonDir: string): string {
  return join(commonDir, 'blueflame', 'review-page.json');
}

/** Preferences that can be changed: all pages of a clone share them. */
export function preferencesIn(commonDir: string): ReviewPageOptions['preferences'] {
  return {
    read: () => readPreferences(commonDir),
    write: async (preferences) => {
      const file = preferencesFile(commonDir);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, `${JSON.stringify(preferences)}\n`);
    },
  };
}

/** Beside the preferences: it is of this clone alone, and nothing depends on it. */
function keptIn(commonDir: string): ReviewPageOptions['kept'] {
  const file = join(commonDir, 'blueflame', 'review-kept.json');
  return {
    read: async () => {
      try {
        return keptReviewSchema.parse(JSON.parse(await readFile(file, 'utf8')));
      } catch {
        return nothingKept;
      }
    },
    write: async (kept) => {
      await mkdir(dirname(file), { recursive: true });
      await replaceFile(file, `${JSON.stringify(kept)}\n`);
    },
  };
}
