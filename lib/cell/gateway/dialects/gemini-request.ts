import { isRecord, type JsonRecord } from '../../../util/json.ts';
import type { Endpoint, Objection } from './dialect.ts';
import {
  invalidTokenCount,
  type KnownFields,
  listOf,
  nestedModel,
  refuseServerSide,
  refuseUnknownField,
  unknownField,
} from './fields.ts';

// The API takes names in both spellings.
const known: KnownFields = {
  names: [
    'contents',
    'systemInstruction',
    'tools',
    'toolConfig',
    'generationConfig',
    'safetySettings',
    'labels',
    'cachedContent',
    'store',
  ],
  values: { cachedContent: ['', null], store: [false, null] },
};
const knownOfAnswer: KnownFields = {
  names: [
    'temperature',
    'topP',
    'topK',
    'maxOutputTokens',
    'stopSequences',
    'seed',
    'candidateCount',
    'presencePenalty',
    'frequencyPenalty',
    'thinkingConfig',
    'mediaResolution',
    'responseMimeType',
    'responseSchema',
    'responseJsonSchema',
    '_responseJsonSchema',
  ],
  // Each is paid for.
  values: { candidateCount: [1, null] },
};
const ownWords = new Set([
  'functionDeclarations',
  'function_declarations',
  'args',
  'response',
  'labels',
  'responseSchema',
  'response_schema',
  'responseJsonSchema',
  'response_json_schema',
]);

/** See Dialect.judge. */
export function judgeGemini(
  request: JsonRecord,
  { endpoint, allowedTools }: { readonly endpoint: Endpoint; readonly allowedTools: readonly string[] },
): Objection | null {
  const counted = request.generateContentRequest;
  // Counting takes a whole request, with its model, in itself.
  if (!endpoint.isPaid && isRecord(counted)) {
    const { model: _counted, ...inner } = counted;
    return judgeGemini(inner, { endpoint, allowedTools });
  }
  const plain = inCamelCase(request);
  const answer = isRecord(plain.generationConfig) ? inCamelCase(plain.generationConfig) : {};
  const twice = twiceNamed(request) ?? twiceNamed(request.generationConfig ?? request.generation_config);
  return (
    refuseServerSide(
      listOf(plain.tools)
        .map((tool) => findTool(tool, allowedTools))
        .find((one) => one !== null) ??
        findConfig(plain.toolConfig) ??
        findPart([...listOf(plain.contents), ...listOf(plain.systemInstruction)]),
    ) ??
    refuseUnknownField(
      twice ??
        unknownField(plain, known) ??
        unknownField(answer, knownOfAnswer) ??
        invalidTokenCount(answer, ['maxOutputTokens']) ??
        nestedModel(request, ownWords),
    )
  );
}

/** An object with its names in the spelling of the documentation. */
export function inCamelCase(value: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [camelCase(name), one]));
}

function camelCase(name: string): string {
  return name.replace(/(?<=[a-z])_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}

/** Which of two values would count can't be known. */
function twiceNamed(value: unknown): string | null {
  if (!isRecord(value)) return null;
  const names = Object.keys(value).map(camelCase);
  return names.find((name, index) => names.indexOf(name) !== index) ?? null;
}

const serverTools: Readonly<Record<string, readonly string[]>> = {
  WebSearch: ['googleSearch', 'googleSearchRetrieval'],
  WebFetch: ['urlContext'],
};

/** A tool that the API would run itself: every one that declares no functions. */
function findTool(tool: unknown, allowedTools: readonly string[]): string | null {
  if (!isRecord(tool)) return `the tool ${JSON.stringify(tool)}`;
  const allowed = ['functionDeclarations', ...allowedTools.flatMap((name) => serverTools[name] ?? [])];
  const other = Object.keys(tool).find((name) => !allowed.includes(camelCase(name)));
  return other === undefined ? null : `the tool ${other}`;
}

function findConfig(config: unknown): string | null {
  if (!isRecord(config)) return null;
  const other = Object.keys(config).find((name) => camelCase(name) !== 'functionCallingConfig');
  return other === undefined ? null : `toolConfig.${other}`;
}

// The fields of a part: all others refer to content kept elsewhere, or to calls made there.
const ownParts = [
  'text',
  'thought',
  'thoughtSignature',
  'inlineData',
  'functionCall',
  'functionResponse',
  'videoMetadata',
  'mediaResolution',
  'partMetadata',
];

function findPart(contents: readonly unknown[]): string | null {
  const waiting = contents.flatMap((content) => (isRecord(content) ? listOf(content.parts) : []));
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    if (!isRecord(part)) continue;
    const other = Object.keys(part).find((name) => !ownParts.includes(camelCase(name)));
    if (other !== undefined) return `a part with ${other}`;
    const given = inCamelCase(part).functionResponse;
    // The result of a tool can hold parts of its own.
    if (isRecord(given)) waiting.push(...listOf(given.parts));
  }
  return null;
}
