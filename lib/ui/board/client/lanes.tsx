import { computed, signal } from '@preact/signals';
import { formatElapsed } from '../../../util/format-figures.ts';
import { type Lane, type LaneSpan, type Lanes, planLanes } from '../plan-lanes.ts';
import { boardState, openTaskPanel, shownTasks, titleOf } from './received-board-state.ts';
import { clock, ForeignText } from './text-components.tsx';

const isTable = signal(false);
const isWhole = signal(false);
/** The lanes shown at first, the latest. */
const mostLanes = 24;

/** While something runs, its bars grow each few seconds. */
const now = computed(() => {
  const { is_running, agents, log, runs } = boardState.value;
  if (is_running || agents.length > 0) return Math.floor(clock.value / 5_000) * 5_000;
  return runs.reduce((latest, { to }) => Math.max(latest, to), Date.parse(log[0]?.at ?? '') || 0);
});
const planned = computed(() => {
  const { runs, agents } = boardState.value;
  return planLanes({ runs, agents, tasks: shownTasks.value, now: now.value });
});

/** Who worked when, on what, and what waited: a lane for each task and each role without one. */
export function WorkLanes() {
  const { lanes: all, ...axis } = planned.value;
  if (all.length === 0) return null;
  const hidden = isWhole.value ? 0 : Math.max(0, all.length - mostLanes);
  const lanes = all.slice(hidden);
  return (
    <>
      <div class="section-head">
        <h2 id="lanes-title">Who worked when</h2>
        <div class="section-tools">
          {all.length > mostLanes && (
            <button
              type="button"
              aria-pressed={isWhole.value}
              onClick={() => {
                isWhole.value = !isWhole.value;
              }}
            >
              {`All ${all.length}`}
            </button>
          )}
          <button
            type="button"
            aria-pressed={isTable.value}
            onClick={() => {
              isTable.value = !isTable.value;
            }}
          >
            As a table
          </button>
        </div>
      </div>
      {isTable.value ? <LaneTable lanes={lanes} /> : <LanePicture lanes={lanes} {...axis} />}
    </>
  );
}

function LanePicture({ lanes, from, to, ticks }: Lanes) {
  const percent = (at: number): number => (100 * (at - from)) / (to - from);
  return (
    <>
      <div class="lanes">
        <div class="lane-axis" aria-hidden="true">
          {ticks.slice(0, -1).map((at) => (
            <span key={at} style={`left: ${percent(at)}%`}>
              {clockTime(at)}
            </span>
          ))}
        </div>
        <ul>
          {lanes.map((lane) => (
            <li class="lane" key={lane.task ?? lane.role}>
              <LaneName {...lane} />
              <div class="lane-track" aria-hidden="true">
                {lane.spans.map((span) => (
                  <span
                    key={`${span.kind} ${span.agent} ${span.from}`}
                    class="span"
                    data-kind={span.kind}
                    data-role={span.role}
                    data-bad={span.outcome !== '' && span.outcome !== 'done' && span.outcome !== 'pass'}
                    title={sentence(span)}
                    style={`left: ${percent(span.from)}%; width: ${percent(span.to) - percent(span.from)}%`}
                  />
                ))}
              </div>
            </li>
          ))}
        </ul>
      </div>
      <p class="lane-key quiet" aria-hidden="true">
        {legend.map(([kind, role, words]) => (
          <span key={words}>
            <span class="span" data-kind={kind} data-role={role} />
            {words}
          </span>
        ))}
      </p>
    </>
  );
}

const legend = [
  ['agent', 'worker', 'an agent works'],
  ['agent', 'validator', 'a validator judges'],
  ['waits', '', 'waits'],
  ['blocked', '', 'blocked'],
  ['checks', '', 'to be checked'],
  ['decides', '', 'waits for you'],
  ['landed', '', 'landed'],
] as const;

function LaneName({ task, role, spans }: Lane) {
  if (task === null) return <span class="lane-name">{role}</span>;
  const agents = spans.filter(({ kind }) => kind === 'agent');
  const worked = agents.reduce((sum, { from, to }) => sum + to - from, 0);
  return (
    <button type="button" class="lane-name" onClick={() => openTaskPanel(task)}>
      <ForeignText>{titleOf(task)}</ForeignText>
      {agents.length > 0 && <span class="unseen">{`: ${formatElapsed(worked)} of agents' work`}</span>}
    </button>
  );
}

function LaneTable({ lanes }: Pick<Lanes, 'lanes'>) {
  return (
    <div class="table-room" tabIndex={0} role="region" aria-label="Who worked when, as a table">
      <table>
        <thead>
          <tr>
            {['Task', 'From', 'Took', 'What', 'Who', 'Waited for'].map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lanes.flatMap(({ task, role, spans }) =>
            [...spans]
              .sort((one, other) => one.from - other.from)
              .map((span) => (
                <tr key={`${task} ${span.kind} ${span.agent} ${span.from}`}>
                  <th scope="row">
                    <ForeignText>{task === null ? role : titleOf(task)}</ForeignText>
                  </th>
                  <td>{clockTime(span.from)}</td>
                  <td>
                    {span.to === span.from
                      ? ''
                      : `${formatElapsed(span.to - span.from)}${span.isOpen ? ' so far' : ''}`}
                  </td>
                  <td>{words(span)}</td>
                  <td>{span.agent}</td>
                  <td>
                    <ForeignText>{span.waitedFor.map(titleOf).join(', ')}</ForeignText>
                  </td>
                </tr>
              )),
          )}
        </tbody>
      </table>
    </div>
  );
}

const kindWords: Readonly<Record<Exclude<LaneSpan['kind'], 'agent'>, string>> = {
  waits: 'waited',
  blocked: 'was blocked',
  checks: 'was to be checked',
  decides: 'waited for your decision',
  landed: 'landed',
  failed: 'failed',
};

function words({ kind, role, outcome, isOpen }: LaneSpan): string {
  if (kind !== 'agent') return kindWords[kind];
  return isOpen ? `${role} at work` : `${role}: ${outcome || 'worked'}`;
}

function sentence(span: LaneSpan): string {
  const waited = span.waitedFor.length === 0 ? '' : `for ${span.waitedFor.map(titleOf).join(', ')}`;
  const took = span.to === span.from ? '' : formatElapsed(span.to - span.from);
  return [words(span), waited, took, span.agent].filter(Boolean).join(' · ');
}

function clockTime(at: number): string {
  return new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
}
