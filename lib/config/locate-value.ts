import { type Document, isAlias, isCollection, isMap, isNode, isScalar, isSeq, type Node } from 'yaml';
import { cutSpanToFirstLine, renderKeyInPath, type Span, type ValuePath, type YamlSource } from './yaml-source.ts';

/**
 * Where the value (or the key) at a path stands. Where there is nothing, where its parent stands; a collection and
 * an empty value are found by their key.
 */
export function locateInYaml(source: YamlSource, path: ValuePath, part: 'key' | 'value'): Span {
  let node: Node | null = source.document.contents;
  let key: Node | null = null;
  for (const segment of path) {
    const found = child(resolveAlias(source.document, node), segment);
    if (found === null) return spanOf(source.text, node, key, 'value');
    node = found.value;
    key = found.key;
  }
  return spanOf(source.text, node, key, part);
}

/** Whether the document itself holds a value at a path, and not only nothing. */
export function isWrittenInYaml(source: YamlSource, path: ValuePath): boolean {
  let node: Node | null = source.document.contents;
  for (const segment of path) {
    const found = child(resolveAlias(source.document, node), segment);
    if (found === null) return false;
    node = found.value;
  }
  const value = resolveAlias(source.document, node);
  return value !== null && !(isScalar(value) && value.value === null);
}

function child(node: Node | null, segment: PropertyKey): { value: Node | null; key: Node | null } | null {
  if (isMap(node)) {
    const pair = node.items.find((item) => renderKeyInPath(item.key) === String(segment));
    return pair === undefined ? null : { value: asNode(pair.value), key: asNode(pair.key) };
  }
  if (isSeq(node) && typeof segment === 'number' && segment < node.items.length) {
    return { value: asNode(node.items[segment]), key: null };
  }
  return null;
}

function asNode(value: unknown): Node | null {
  return isNode(value) ? value : null;
}

function resolveAlias(document: Document, node: Node | null): Node | null {
  return isAlias(node) ? (node.resolve(document) ?? null) : node;
}

function spanOf(text: string, node: Node | null, key: Node | null, part: 'key' | 'value'): Span {
  const [start = 0, end = 0] = node?.range ?? [];
  const isEmpty = node === null || start === end;
  const preferred = part === 'key' || isEmpty || isCollection(node) ? (key ?? node) : node;
  const [from = start, to = end] = preferred?.range ?? [];
  return cutSpanToFirstLine(text, from, to);
}
