import { isJsonRecord, type JsonRecord } from '../../../util/json.ts';
import { listWords } from '../../../util/sort-and-group.ts';
import type { ModelApiEndpoint, RequestObjection } from './dialect.ts';
import {
  type AllowedRequestFields,
  asListOfValues,
  findFirst,
  findInvalidTokenCount,
  findNestedModelName,
  findUnknownField,
  objectToServerTool,
  objectToUnknownField,
} from './request-fields.ts';

// The API takes names in both spellings.
const known: AllowedRequestFields = {
  names: listWords(`
    contents systemInstruction tools toolConfig generationConfig safetySettings labels cachedContent store
  `),
  values: { cachedContent: ['', null], store: [false, null] },
};
const knownOfAnswer: AllowedRequestFields = {
  names: listWords(`
    temperature topP topK maxOutputTokens stopSequences seed candidateCount presencePenalty frequencyPenalty
    thinkingConfig mediaResolution responseMimeType responseSchema responseJsonSchema _responseJsonSchema
  `),
  // Each is paid for.
  values: { candidateCount: [1, null] },
};
const ownWords = new Set(
  listWords(`
  functionDeclarations function_declarations args response labels responseSchema response_schema
  responseJsonSchema response_json_schema
`),
);

/** See Dialect.judge. */
export function judgeGeminiRequest(
  request: JsonRecord,
  { endpoint, allowedTools }: { readonly endpoint: ModelApiEndpoint; readonly allowedTools: readonly string[] },
): RequestObjection | null {
  const counted = request.generateContentRequest;
  // Counting takes a whole request, with its model, in itself.
  if (!endpoint.isPaid && isJsonRecord(counted)) {
    const { model: _counted, ...inner } = counted;
    return judgeGeminiRequest(inner, { endpoint, allowedTools });
  }
  const plain = renameKeysToCamelCase(request);
  const answer = isJsonRecord(plain.generationConfig) ? renameKeysToCamelCase(plain.generationConfig) : {};
  const twice = twiceNamed(request) ?? twiceNamed(request.generationConfig ?? request.generation_config);
  return (
    objectToServerTool(
      findFirst(asListOfValues(plain.tools), (tool) => findTool(tool, allowedTools)) ??
        findConfig(plain.toolConfig) ??
        findPart([...asListOfValues(plain.contents), ...asListOfValues(plain.systemInstruction)]),
    ) ??
    objectToUnknownField(
      twice ??
        findUnknownField(plain, known) ??
        findUnknownField(answer, knownOfAnswer) ??
        findInvalidTokenCount(answer, ['maxOutputTokens']) ??
        findNestedModelName(request, ownWords),
    )
  );
}

/** An object with its names in the spelling of the documentation. */
export function renameKeysToCamelCase(value: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [camelCase(name), one]));
}

function camelCase(name: string): string {
  return name.replace(/(?<=[a-z])_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}

/** Which of two values would count can't be known. */
function twiceNamed(value: unknown): string | null {
  if (!isJsonRecord(value)) return null;
  const names = Object.keys(value).map(camelCase);
  return names.find((name, index) => names.indexOf(name) !== index) ?? null;
}

const serverTools: Readonly<Record<string, readonly string[]>> = {
  WebSearch: ['googleSearch', 'googleSearchRetrieval'],
  WebFetch: ['urlContext'],
};

/** A tool that the API would run itself: every one that declares no functions. */
function findTool(tool: unknown, allowedTools: readonly string[]): string | null {
  if (!isJsonRecord(tool)) return `the tool ${JSON.stringify(tool)}`;
  const allowed = ['functionDeclarations', ...allowedTools.flatMap((name) => serverTools[name] ?? [])];
  const other = Object.keys(tool).find((name) => !allowed.includes(camelCase(name)));
  return other === undefined ? null : `the tool ${other}`;
}

function findConfig(config: unknown): string | null {
  if (!isJsonRecord(config)) return null;
  const other = Object.keys(config).find((name) => camelCase(name) !== 'functionCallingConfig');
  return other === undefined ? null : `toolConfig.${other}`;
}

// The fields of a part: all others refer to content kept elsewhere, or to calls made there.
const ownParts = listWords(`
  text thought thoughtSignature inlineData functionCall functionResponse videoMetadata mediaResolution
  partMetadata
`);

function findPart(contents: readonly unknown[]): string | null {
  const waiting = contents.flatMap((content) => (isJsonRecord(content) ? asListOfValues(content.parts) : []));
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    if (!isJsonRecord(part)) continue;
    const other = Object.keys(part).find((name) => !ownParts.includes(camelCase(name)));
    if (other !== undefined) return `a part with ${other}`;
    const given = renameKeysToCamelCase(part).functionResponse;
    // The result of a tool can hold parts of its own.
    if (isJsonRecord(given)) waiting.push(...asListOfValues(given.parts));
  }
  return null;
}
