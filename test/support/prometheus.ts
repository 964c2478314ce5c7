/** One sample of a text exposition. */
export interface PrometheusSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const name = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const label = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y;

/**
 * Reads Prometheus' text exposition format 0.0.4 and throws on what a strict reader refuses: samples outside their
 * family, a family twice, bad names, labels or values, the same series twice, a missing newline at the end.
 */
export function parsePrometheus(text: string): readonly PrometheusSample[] {
  if (!text.endsWith('\n')) throw new Error('the last line has no newline');
  const samples: PrometheusSample[] = [];
  const families = new Map<string, string>();
  const series = new Set<string>();
  let family = '';
  for (const line of text.slice(0, -1).split('\n')) {
    const help = new RegExp(`^# HELP (${name}) (?:[^\\\\\n]|\\\\[\\\\n])+$`).exec(line);
    const type = new RegExp(`^# TYPE (${name}) (gauge|counter|summary)$`).exec(line);
    if (help !== null) {
      if (families.has(help[1] ?? '')) throw new Error(`family twice: ${line}`);
      family = help[1] ?? '';
    } else if (type !== null) {
      if (type[1] !== family) throw new Error(`TYPE without its HELP: ${line}`);
      families.set(family, type[2] ?? '');
    } else {
      const sample = parseSample(line);
      checkFamily(sample, family, families.get(family) ?? 'untyped');
      const key = JSON.stringify([sample.name, sample.labels]);
      if (series.has(key)) throw new Error(`series twice: ${line}`);
      series.add(key);
      samples.push(sample);
    }
  }
  return samples;
}

function parseSample(line: string): PrometheusSample {
  const [, metric, inner = '', value] = new RegExp(`^(${name})(?:\\{(.*)\\})? (\\S+)$`).exec(line) ?? [];
  if (metric === undefined || !/^[+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|Inf)$|^NaN$/i.test(value ?? ''))
    throw new Error(`no sample: ${line}`);
  const labels: [string, string][] = [];
  label.lastIndex = 0;
  while (label.lastIndex < inner.length) {
    const found = label.exec(inner);
    if (found === null) throw new Error(`bad labels: ${line}`);
    labels.push([found[1] ?? '', (found[2] ?? '').replace(/\\(["\\n])/g, decode)]);
  }
  if (new Set(labels.map(([key]) => key)).size !== labels.length) throw new Error(`label twice: ${line}`);
  return { name: metric, labels: Object.fromEntries(labels), value: Number(value) };
}

function checkFamily({ name: metric, labels }: PrometheusSample, family: string, type: string): void {
  const suffix = metric.slice(family.length);
  const isOfFamily = metric.startsWith(family) && (type === 'summary' ? ['', '_sum', '_count'] : ['']).includes(suffix);
  if (!isOfFamily) throw new Error(`${metric} stands in the family ${family} (${type})`);
  if (type === 'summary' && suffix === '' && labels.quantile === undefined)
    throw new Error(`${metric} has no quantile`);
  if (type === 'counter' && !family.endsWith('_total')) throw new Error(`${family} is a counter without _total`);
}

function decode(_: string, character: string): string {
  return character === 'n' ? '\n' : character;
}
