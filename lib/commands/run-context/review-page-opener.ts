import { writeFileSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { makeRunFolder } from '../../cell/run-folder.ts';
import { auditFile, summarizeAudit } from '../../cell/watcher/audit-log.ts';
import { listTasksInEvidenceDoubt } from '../../core/changesets/build-evidence.ts';
import { listUndoableDecisions } from '../../core/changesets/changeset-decision.ts';
import { listChangesetsToShow } from '../../core/changesets/changesets-to-show.ts';
import { chooseTryCommand } from '../../core/changesets/choose-try-command.ts';
import type { AdmittedSnapshot, Snapshot } from '../../domain/ports/store-port.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Io } from '../../domain/view-models/command.ts';
import { tryComputeChangesSinceSeen } from '../../engine/review/changes-since-seen.ts';
import { readReadingGuide } from '../../engine/review/read-guide.ts';
import { readTryWorktrees } from '../../git/worktrees/try-worktree.ts';
import { escapeHtml } from '../../ui/page/escape-html.ts';
import type { ReviewPageAccess } from '../../ui/questions/shared-gates.ts';
import type { ReviewPage, ReviewPageHandler, ReviewPageOptions } from '../../ui/review-page/open-review-page.ts';
import type { PageFacts, ReviewedChangeset, ReviewPagePreferences } from '../../ui/review-page/page-facts.ts';
import { preferencesSchema } from '../../ui/review-page/stored-page-state.ts';
import { emptyUnfinishedReview, unfinishedReviewSchema } from '../../ui/review-page/unfinished-review.ts';
import { openBrowser } from '../../ui/terminal/run-pager-or-editor.ts';
import { randomName } from '../../util/short-names.ts';
import { replaceFile } from '../../util/write-files.ts';
import type { ReadContext } from '../context/open-read-context.ts';
import { explainPageRefusal } from '../context/require-typed-by-person.ts';

/** The review page of a command: opened when the first changeset is asked about, or when the person wants it. */
export interface ReviewPageOpener extends ReviewPageAccess {
  refresh(): void;
  /** For a server that serves other pages too, below a path of its own; to be called before `open`. */
  mount(): Promise<ReviewPageHandler>;
  close(): Promise<void>;
}

type HeldParts = Pick<ReviewPage, 'ask' | 'refresh' | 'close'>;

export function createReviewPageOpener(io: Io, reading: ReadContext): ReviewPageOpener {
  let opening: Promise<HeldParts> | null = null;
  let page: HeldParts | null = null;
  const hold = (opened: Promise<HeldParts>): Promise<HeldParts> => {
    opening = opened.then((one) => (page = one));
    return opening;
  };
  return {
    open: () => opening ?? hold(serve(io, reading)),
    mount: async () => {
      const { ReviewPageHandler } = await import('../../ui/review-page/open-review-page.ts');
      const part = new ReviewPageHandler(optionsOf(reading));
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
    isWanted: () => opening !== null || reading.commandLine.page.isWanted,
    refresh: () => page?.refresh(),
    close: async () => page?.close(),
  };
}

async function serve(io: Io, reading: ReadContext): Promise<ReviewPage> {
  const { openReviewPageServer } = await import('../../ui/review-page/open-review-page.ts');
  const { git, output, commandLine } = reading;
  const page = await openReviewPageServer(optionsOf(reading), {
    stranger: explainPageRefusal(git.repository, io),
  });
  output.events.emit({ event: 'review-page', url: page.url });
  if (!commandLine.page.opensBrowser || io.stderr.isTTY !== true) return page;
  const forget = prepareBrowserOpening(io, git.repository.commonDir, page);
  return {
    ...page,
    close: async () => {
      await forget();
      await page.close();
    },
  };
}

function optionsOf({ git, store, shown, output, selected }: ReadContext): ReviewPageOptions {
  const { commonDir } = git.repository;
  return {
    source: {
      read: async () => {
        const snapshot = await store.snapshot();
        return readPageFacts(snapshot, { session: selected.require(snapshot), commonDir });
      },
      patch: async (changeset, view) => {
        const patch = await git.readPatch(changeset.parent, changeset.commit, view);
        shown.recordSeen(selected.require(await store.snapshot()).id, [changeset]);
        return patch;
      },
      guide: async (changeset, patch) => {
        const snapshot = await store.snapshot();
        const tasks = snapshot.tasksOf(selected.require(snapshot).id);
        return readReadingGuide({ git }, { changeset, tasks }, patch);
      },
      text: async ({ commit }, path) => (await git.readTexts(commit, [path])).get(path) ?? null,
      since: async (changeset) => {
        const snapshot = await store.snapshot();
        const session = selected.require(snapshot);
        const tasks = snapshot.tasksOf(session.id).filter(({ id }) => changeset.tasks.includes(id));
        return tryComputeChangesSinceSeen({ git, events: output.events }, session, { changeset, tasks });
      },
    },
    preferences: openPagePreferences(commonDir),
    kept: openJsonFile(join(commonDir, 'blueflame', 'review-kept.json'), unfinishedReviewSchema, emptyUnfinishedReview),
  };
}

const defaults: ReviewPagePreferences = { layout: 'line', theme: 'auto', order: 'chapters' };

/** The person's preferences for the page, defaults where nothing was chosen: all pages of a clone share them. */
export function openPagePreferences(commonDir: string): ReviewPageOptions['preferences'] {
  return openJsonFile(join(commonDir, 'blueflame', 'review-page.json'), preferencesSchema, defaults);
}

/** A file of this clone alone, on which nothing depends: `none` where it can't be read. */
function openJsonFile<Value>(file: string, schema: { parse(json: unknown): NoInfer<Value> }, none: Value) {
  return {
    read: async (): Promise<Value> => {
      try {
        return schema.parse(JSON.parse(await readFile(file, 'utf8')));
      } catch {
        return none;
      }
    },
    write: async (value: Value): Promise<void> => {
      await mkdir(dirname(file), { recursive: true });
      replaceFile(file, `${JSON.stringify(value)}\n`);
    },
  };
}

interface PageSource {
  readonly session: Session;
  readonly commonDir: string;
}

/** Reads the review page's facts: the changesets of a session's cycle, in the order they are reviewed. */
export function readPageFacts(stored: AdmittedSnapshot, { session: { id }, commonDir }: PageSource): PageFacts {
  const { session, snapshot } = stored.admitted(id);
  const decided = listUndoableDecisions(session);
  const tried = readTryWorktrees(commonDir);
  const changesets = listChangesetsToShow(session, stored.tasksOf(session.id)).map((changeset) => ({
    ...readChangeset(snapshot, session, changeset, commonDir),
    isUndoable: decided.includes(changeset),
    tryCommand: chooseTryCommand(changeset, session, tried),
  }));
  return { session, changesets };
}

function readChangeset(
  snapshot: Snapshot,
  session: Session,
  changeset: Changeset,
  commonDir: string,
): Omit<ReviewedChangeset, 'isUndoable' | 'tryCommand'> {
  const tasks = snapshot.tasksOf(session.id).filter(({ id }) => changeset.tasks.includes(id));
  const verdicts = tasks.flatMap(({ commit }) => (commit === null ? [] : snapshot.verdictsOn(commit).slice(-1)));
  const runs = session.agents
    .filter(({ task_id }) => tasks.some(({ id }) => id === task_id))
    .map((run) => ({ ...run, audit: summarizeAudit(auditFile(commonDir, run.id)) }));
  return { changeset, tasks, verdicts, doubts: listTasksInEvidenceDoubt(snapshot, tasks), runs };
}

/**
 * Starts the person's browser on a file of their own that leads to the page: what a program is started with is seen
 * by everybody on the machine. The file goes once it was followed; what is returned removes it if it never was. A
 * browser that may not read it shows an error: the address is at the terminal, too.
 */
export function prepareBrowserOpening(
  io: Io,
  commonDir: string,
  page: Pick<ReviewPage, 'openingUrl'>,
): () => Promise<void> {
  try {
    return openThroughFile(io, commonDir, page);
  } catch {
    // Without a place for the file no browser is started.
    return async () => undefined;
  }
}

function openThroughFile(io: Io, commonDir: string, page: Pick<ReviewPage, 'openingUrl'>): () => Promise<void> {
  const folder = makeRunFolder(commonDir, randomName('page'));
  const file = join(folder.root, 'review.html');
  const url = page.openingUrl(() => void folder.remove());
  writeFileSync(file, leadTo(url), { mode: 0o600 });
  openBrowser(io, pathToFileURL(file).href);
  return folder.remove;
}

function leadTo(url: string): string {
  const address = escapeHtml(url);
  return [
    '<!doctype html>',
    '<meta charset="utf-8">',
    '<meta name="referrer" content="no-referrer">',
    `<meta http-equiv="refresh" content="0; url=${address}">`,
    '<title>git flame review</title>',
    `<p><a href="${address}">To the review page</a>, once.</p>`,
    '',
  ].join('\n');
}
