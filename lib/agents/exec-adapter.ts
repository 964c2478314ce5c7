import { join } from 'node:path';
import type { Failure } from '../domain/failure.ts';
import {
  type Adapter,
  type AgentEnd,
  type AgentLaunch,
  agentNotesFileName,
  type PathsInsideCell,
  type StreamReader,
} from '../domain/ports/adapter.ts';
import type { AgentRequest } from '../domain/ports/agent-port.ts';
import { findProcessEndFailure, takeLastOutputLines } from './end-failure.ts';
import { type AdapterConfig, buildCellEnvironment, usualCliFacts } from './launch-settings.ts';

const scriptName = 'task.sh';
const keptCharacters = 64_000;
const keptLines = 20;

/** A task's description as a script: no model, no network, no cost; what it leaves behind is its result. */
export function createExecAdapter(config: AdapterConfig): Adapter {
  return {
    ...usualCliFacts,
    name: 'exec',
    command: config.adapters.exec?.command ?? ['/bin/bash'],
    commits: 'orchestrator',
    apis: [],
    calls: null,
    end: null,
    cannotLead: 'they are scripts, and scripts call no tools',
    version: {
      args: ['--version'],
      minimum: null,
      parse: (output) => output.match(/\b(\d+\.\d+(?:\.\d+)?)\b/)?.[1] ?? null,
      install: 'Install bash, or set adapters.exec.command to another interpreter.',
    },
    launch: launchScript,
    reader: scriptReader,
  };
}

function launchScript(request: AgentRequest, paths: PathsInsideCell): AgentLaunch {
  return {
    argv: [...paths.command, join(paths.controlDir, scriptName)],
    env: {
      ...buildCellEnvironment(paths),
      FLAME_TASK_ID: request.task ?? '',
      FLAME_TASK_TITLE: request.taskTitle ?? '',
      FLAME_ATTEMPT: `${request.attempt ?? 1}`,
      FLAME_NOTES: join(paths.tmp, agentNotesFileName),
    },
    files: [{ dir: 'control', path: scriptName, content: `${request.prompt.trimEnd()}\n` }],
    stdin: null,
    transcript: null,
  };
}

function scriptReader(request: AgentRequest): StreamReader {
  let output = '';
  return {
    push: (chunk) => {
      output = `${output}${chunk}`.slice(-keptCharacters);
      const text = takeLastOutputLines(chunk, 1)[0];
      return text === undefined ? [] : [{ text, tokens: 0, cost_usd: 0 }];
    },
    finish: (end) => ({
      failure: judgeScript(end, output, request),
      answer: null,
      text: takeLastWords(output),
      cost_usd: 0,
      tokens: 0,
      warnings: [],
    }),
  };
}

/** Its last lines, and of those before them the ones that say why a file changed. */
function takeLastWords(output: string): string {
  const lines = takeLastOutputLines(output, Number.POSITIVE_INFINITY);
  const isKept = (line: string, index: number): boolean => index >= lines.length - keptLines || reasonLine.test(line);
  return lines.filter(isKept).join('\n');
}

const reasonLine = /^\s*(?:[-*]\s+)?WHY\b/;

function judgeScript(end: AgentEnd, output: string, request: AgentRequest): Failure | null {
  const details = takeLastOutputLines(`${output}\n${end.stderr}`);
  const own = findProcessEndFailure(end, request);
  if (own !== null) return { ...own, details };
  if (end.exitCode === 0) return null;
  return {
    kind: 'agent-error',
    message: `The script ended with exit code ${end.exitCode}.`,
    details,
    retryable: true,
  };
}
