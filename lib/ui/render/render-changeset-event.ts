import type { Event } from '../../domain/shown/event.ts';
import { shortId } from '../../util/short-names.ts';
import { unreachable } from '../../util/unreachable.ts';
import type { Style } from '../text/style.ts';
import { visibleLine } from '../text/visible-text.ts';

type EventOf<Kind extends Event['event']> = Extract<Event, { readonly event: Kind }>;
type ChangesetEvent = EventOf<
  'changeset-built' | 'changeset-decided' | 'decision-undone' | 'landed' | 'landing-refused' | 'pull-request'
>;

/** Renders a changeset's event as one line. */
export function renderChangesetEvent(event: ChangesetEvent, style: Style): string {
  switch (event.event) {
    case 'changeset-built':
      return renderBuilt(event, style);
    case 'changeset-decided':
      return renderDecision(event);
    case 'decision-undone':
      return `Changeset ${visibleLine(event.changeset)} waits again: that it was ${visibleLine(event.was)} is taken back`;
    case 'landed':
      return renderLanding(event, style);
    case 'landing-refused':
      return style.red(`Changeset ${visibleLine(event.changeset)} did not land: ${visibleLine(event.why)}`);
    case 'pull-request':
      return renderRequest(event, style);
    default:
      return unreachable(event);
  }
}

function renderBuilt(event: EventOf<'changeset-built'>, style: Style): string {
  const red = event.red ? `, ${style.red('diagnostics fail')}` : '';
  return `Changeset ${visibleLine(event.changeset)} built at ${shortId(event.commit)}: ${event.tasks.join(', ')}${red}`;
}

function renderDecision(event: EventOf<'changeset-decided'>): string {
  const { changeset, decision, tasks = [] } = event;
  const reason = event.reason ?? '';
  const what = tasks.length === 0 ? decision : `${decision} in part, ${tasks.join(', ')}`;
  const why = reason === '' ? '' : ` (${visibleLine(reason)})`;
  return `Changeset ${visibleLine(changeset)}: ${visibleLine(what)}${why}`;
}

function renderLanding({ changeset, branch, commit }: EventOf<'landed'>, style: Style): string {
  const where = `on ${visibleLine(branch)} as ${shortId(commit)}`;
  return style.green(`Changeset ${visibleLine(changeset)} landed ${where}`);
}

function renderRequest(event: EventOf<'pull-request'>, style: Style): string {
  const from = `${visibleLine(event.branch)} for ${visibleLine(event.base)}`;
  if (event.state === 'prepared')
    return `Pull request of ${from} prepared: ${visibleLine(event.title)} (body: ${visibleLine(event.body_file)})`;
  const where = event.url === null ? '' : `: ${visibleLine(event.url)}`;
  return style.green(`Pull request of ${from} ${event.state}${where}`);
}
