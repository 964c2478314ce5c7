import { isRecord } from '../util/json.ts';
import { type AgentQuestion, longestQuestion, mostOptions, mostQuestions } from './question.ts';

/**
 * Reads the input of a tool that asks a person, `{questions: [{question, options: [{label, description}]}]}` or one
 * question by itself with `choices`. null: it asks nothing that can be shown.
 */
export function readQuestions(input: unknown): readonly AgentQuestion[] | null {
  if (!isRecord(input)) return null;
  const asked = Array.isArray(input.questions) ? input.questions : [input];
  if (asked.length === 0 || asked.length > mostQuestions) return null;
  const read = asked.map(readQuestion);
  return read.every((one) => one !== null) ? read : null;
}

function readQuestion(value: unknown): AgentQuestion | null {
  if (!isRecord(value)) return null;
  const { question, options, choices, multiSelect, multi_select } = value;
  if (typeof question !== 'string' || question.trim() === '' || question.length > longestQuestion)
    return null;
  const listed: readonly unknown[] = Array.isArray(options) ? options : Array.isArray(choices) ? choices : [];
  const read = listed.slice(0, mostOptions).map(readOption);
  if (!read.every((one) => one !== null)) return null;
  return { question, options: read, isSeveral: multiSelect === true || multi_select === true };
}

function readOption(value: unknown): AgentQuestion['options'][number] | null {
  if (typeof value === 'string') return { label: value.slice(0, longestQuestion), description: '' };
  if (!isRecord(value) || typeof value.label !== 'string') return null;
  const description = typeof value.description === 'string' ? value.description : '';
  return { label: value.label.slice(0, longestQuestion), description: description.slice(0, longestQuestion) };
}
