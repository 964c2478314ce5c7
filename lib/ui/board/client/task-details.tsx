import type { ComponentChild, ComponentChildren } from 'preact';
import type {
  BoardAgentRun,
  BoardAttempt,
  BoardTask,
  BoardTaskDetails,
  BoardVerdict,
} from '../../../domain/view-models/board-view.ts';
import { formatDuration } from '../../../util/format-figures.ts';
import { labelTaskStatus } from '../../text/task-status-label.ts';
import { describeSpent, listTasksBelow } from './board-texts.ts';
import { ChangedLineCounts } from './changesets-log-sessions.tsx';
import { FoldedCheckResult } from './question-facts-view.tsx';
import { nameTasks, openTaskPanel, titleOf } from './received-board-state.ts';
import {
  CommandToCopy,
  FoldedSection,
  ForeignText,
  ForeignTextBlock,
  ForeignTextList,
  TimeLabel,
} from './text-components.tsx';

/** How a task stands, at a glance. */
export function TaskSummary({ id, task }: { readonly id: string; readonly task: BoardTask }) {
  const { symbol, word, kind } = labelTaskStatus(task);
  const { overlap } = task;
  const facts = {
    Group: task.group,
    Priority: task.priority,
    'Stacked on': overlap?.kind === 'build-on' ? listTasksBelow(overlap) : '',
    'Overlaps with': overlap?.kind === 'separate' ? listTasksBelow(overlap) : '',
    By: task.by,
    Attempts: task.attempts,
    Spent: describeSpent(task),
  };
  return (
    <>
      <p class="row-head">
        <code>{id}</code>
        <span class={`badge ${kind}`}>{`${symbol} ${word}`}</span>
      </p>
      {task.because.map((why) => (
        <ForeignTextBlock class="warning">{nameTasks(why)}</ForeignTextBlock>
      ))}
      <NeededTasks needs={task.needs} />
      <dl class="facts">
        {Object.entries(facts)
          .filter(([, value]) => value)
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <ForeignText>{value}</ForeignText>
              </dd>
            </div>
          ))}
      </dl>
    </>
  );
}

/** The tasks that have to be done first, each a way to it. */
function NeededTasks({ needs }: Pick<BoardTask, 'needs'>) {
  if (needs.length === 0) return null;
  return (
    <p class="needs">
      <span class="quiet">Needs</span>
      {needs.map((id) => (
        <button type="button" class="link" key={id} title={id} onClick={() => openTaskPanel(id)}>
          <ForeignText>{titleOf(id)}</ForeignText>
        </button>
      ))}
    </p>
  );
}

/** All the rest, part by part; what there is nothing of is left out. */
export function TaskDetails({ task, details }: { readonly task: BoardTask; readonly details: BoardTaskDetails }) {
  const { prompt, files } = details;
  const chosen = [details.adapter, details.model].filter((one) => one !== null).join(', ');
  const parts: Readonly<Record<string, readonly ComponentChild[]>> = {
    Description: [
      <ForeignTextBlock>{details.description}</ForeignTextBlock>,
      <List title="Acceptance criteria" of={details.acceptance} />,
      <List title="Constraints" of={details.constraints} />,
      <List title="Locks" of={task.locks} />,
    ],
    'Prompt of its worker': [
      chosen !== '' && <p class="quiet">{`By ${chosen}, as planned.`}</p>,
      prompt === null && <p class="quiet">{details.prompt_missing}</p>,
      <Detail title="System prompt" text={prompt?.system} />,
      <Detail title="Task prompt" text={prompt?.prompt} />,
    ],
    Verdicts: details.verdicts.map((one) => <Verdict {...one} />),
    Attempts: details.attempts.toReversed().map((one) => <Attempt {...one} />),
    Agents: details.agents.map((one) => <AgentRun key={one.id} {...one} />),
    Notes: details.notes.map(({ from, text }) => <Item who={from} texts={[text]} />),
    Files: files.length === 0 ? [] : [<Files files={files} />],
    'In a terminal': details.next.map((command) => <CommandToCopy key={command} command={command} />),
  };
  return Object.entries(parts).map(([title, content]) => {
    if (content.length === 0) return null;
    return (
      <section class="part" key={title}>
        <h3>{title}</h3>
        {content}
      </section>
    );
  });
}

function List({ title, of }: { readonly title: string; readonly of: readonly string[] }) {
  if (of.length === 0) return null;
  return (
    <>
      <h4>{title}</h4>
      <ForeignTextList of={of} />
    </>
  );
}

function Detail({ title, text = '' }: { readonly title: string; readonly text: string | undefined }) {
  if (text === '') return null;
  return (
    <FoldedSection summary={title}>
      <pre tabIndex={0}>{text}</pre>
    </FoldedSection>
  );
}

interface ItemProps {
  readonly name?: ComponentChild;
  readonly badge?: string;
  readonly look?: string;
  readonly who: string | null;
  readonly at?: string;
  /** Empty ones are left out. */
  readonly texts?: readonly string[];
  readonly children?: ComponentChildren;
}

function Item({ name, badge = '', look = '', who, at, texts = [], children }: ItemProps) {
  return (
    <div class="item">
      <p class="row-head">
        {name}
        {badge !== '' && <span class={`badge ${look}`}>{badge}</span>}
        <span class="quiet">{who}</span>
        {at !== undefined && <TimeLabel at={at} class="row-end quiet" />}
      </p>
      {texts.filter(Boolean).map((text) => (
        <ForeignTextBlock>{text}</ForeignTextBlock>
      ))}
      {children}
    </div>
  );
}

function Verdict({ status, by, at, notes, issues, override, checks }: BoardVerdict) {
  const [badge, look] = status === 'pass' ? ['passed', 'good'] : ['failed', 'bad'];
  const passed = override === null ? '' : `Passed anyway: ${override}`;
  return (
    <Item badge={badge} look={look} who={by} at={at} texts={[passed, notes]}>
      <List title="Issues" of={issues} />
      {checks.map((check) => (
        <FoldedCheckResult {...check} />
      ))}
    </Item>
  );
}

function Attempt({ number, agent, at, result, notes, rejection }: BoardAttempt) {
  const name = <b>{number === 0 ? 'Earlier' : `Attempt ${number}`}</b>;
  const rejected = rejection === null ? '' : `Rejected: ${rejection}`;
  return <Item name={name} badge={result.replaceAll('_', ' ')} who={agent} at={at} texts={[notes, rejected]} />;
}

function AgentRun({ id, role, outcome, took_ms: took, blocked, ...spent }: BoardAgentRun) {
  const words = [role, outcome, took === null ? '' : formatDuration(took), describeSpent(spent)];
  return (
    <Item name={<code>{id}</code>} who={words.filter(Boolean).join(' · ')}>
      <ForeignTextList class="blocked-calls" of={blocked.map((call) => `blocked: ${call}`)} />
    </Item>
  );
}

function Files({ files }: Pick<BoardTaskDetails, 'files'>) {
  return (
    <ul class="files">
      {files.map(({ path, moved_from: from, insertions, deletions }) => (
        <li key={path}>
          {from !== undefined && <code>{from}</code>}
          {from !== undefined && ' → '}
          <code>{path}</code> <ChangedLineCounts insertions={insertions} deletions={deletions} />
        </li>
      ))}
    </ul>
  );
}
