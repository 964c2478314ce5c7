import { FlameError } from '../../domain/flame-error.ts';
import { plannedTaskSchema } from '../../domain/state/plan.ts';
import { textSchema } from '../../domain/text.ts';

/** Fields that a person may change of a task that goes back into the queue. */
export interface TaskEdit {
  readonly notes: string;
  readonly description: string;
  readonly file_locks: readonly string[];
}

const editSchema = plannedTaskSchema
  .pick({ description: true, file_locks: true })
  .extend({ notes: textSchema(50_000).default('') })
  .strict();

const heading = `# The task goes back into the queue as it stands here. notes: for the next attempt.
# file_locks: what it may change. Save and close; empty the file to change nothing.
`;

export async function taskEditToYaml(edit: TaskEdit): Promise<string> {
  const { stringify } = await import('yaml');
  return heading + stringify(edit, { lineWidth: 0 });
}

/** Throws a FlameError `bad-task-edit` with every mistake, each with its line. */
export async function parseTaskEdit(text: string): Promise<TaskEdit> {
  const { LineCounter, parseDocument } = await import('yaml');
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter });
  const broken = document.errors.map(
    (error) => `line ${error.linePos?.[0].line ?? 1}: ${firstLine(error.message)}`,
  );
  if (broken.length > 0) throw badEdit(broken);
  const parsed = editSchema.safeParse(document.toJS());
  if (parsed.success) return parsed.data;
  throw badEdit(
    parsed.error.issues.map((issue) => {
      const path = issue.path.map(String);
      const line = lineCounter.linePos(offsetOf(document.getIn(path, true))).line;
      return `line ${line}: ${[path.join('.'), issue.message].filter((part) => part !== '').join(' ')}`;
    }),
  );
}

function offsetOf(node: unknown): number {
  const range: unknown = typeof node === 'object' && node !== null && 'range' in node ? node.range : null;
  return Array.isArray(range) && typeof range[0] === 'number' ? range[0] : 0;
}

function firstLine(message: string): string {
  return (message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');
}

/** A FlameError `bad-task-edit`, with a mistake a line. */
export function badEdit(mistakes: readonly string[]): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'bad-task-edit',
    message: 'The edited task cannot be used.',
    details: mistakes,
  });
}
