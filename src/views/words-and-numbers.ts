/** What values of a filter mean. Each gives undefined for what is no such value. */
import type { Value } from './query.ts';

export type TextTest = (text: string | undefined) => boolean;

/** The whole of a text; `*` stands for anything. `:` takes no notice of case, `=` does. An empty value: there is none. */
export function wholeText(value: Value, isExact: boolean): TextTest {
  if (value.text === '') return (text) => text === undefined || text === '';
  const wanted = isExact ? value.text : value.text.toLowerCase();
  const fold = isExact ? (text: string) => text : lower;
  if (value.isQuoted || !wanted.includes('*'))
    return (text) => text !== undefined && (fold(text) === wanted || isCutOf(fold(text), wanted));
  const parts = wanted.split('*');
  return (text) => text !== undefined && hasParts(fold(text), parts, true);
}

/** Anywhere in a text; `*` stands for anything. */
export function partOfText(value: Value, isExact = false): TextTest {
  if (value.text === '') return (text) => text === undefined || text === '';
  const wanted = isExact ? value.text : value.text.toLowerCase();
  const fold = isExact ? (text: string) => text : lower;
  if (value.isQuoted || !wanted.includes('*'))
    return (text) => text !== undefined && fold(text).includes(wanted);
  const parts = wanted.split('*');
  return (text) => text !== undefined && hasParts(fold(text), parts, false);
}

/** Names repeat: each is turned into lower case once. */
const LOWER = new Map<string, string>();
const LOWER_MAX = 20_000;

function lower(text: string): string {
  if (text.length > 100) return text.toLowerCase();
  const known = LOWER.get(text);
  if (known !== undefined) return known;
  if (LOWER.size >= LOWER_MAX) LOWER.clear();
  const made = text.toLowerCase();
  LOWER.set(text, made);
  return made;
}

/** A name that was too long for its row ends with `…`. */
function isCutOf(text: string, whole: string): boolean {
  return text.endsWith('…') && whole.length >= text.length && whole.startsWith(text.slice(0, -1));
}

/** Whether the parts come one after the other. Each is taken as early as it can be, so nothing is ever tried twice. */
function hasParts(text: string, parts: readonly string[], isWhole: boolean): boolean {
  const [first = '', ...rest] = parts;
  const last = rest.pop() ?? '';
  if (isWhole && !text.startsWith(first)) return false;
  let at = isWhole ? first.length : indexAfter(text, first, 0);
  for (const part of rest) {
    if (at < 0) return false;
    at = indexAfter(text, part, at);
  }
  if (at < 0) return false;
  return isWhole ? text.length - last.length >= at && text.endsWith(last) : indexAfter(text, last, at) >= 0;
}

function indexAfter(text: string, part: string, from: number): number {
  const at = text.indexOf(part, from);
  return at < 0 ? -1 : at + part.length;
}

const SIZES: Readonly<Record<string, number>> = { k: 1e3, m: 1e6, g: 1e9 };

/** `12`, `-0.5`, `1e-3`, `10k`, `1.5M`, `1,234`, `$0.20`; `50%` is 0.5. */
export function numberOf(text: string): number | undefined {
  const found = /^([+-]?)\$?((?:\d[\d,_]*)?\.?\d*(?:e[+-]?\d+)?)([kmg%]?)$/i.exec(text);
  const [, sign = '', digits = '', unit = ''] = found ?? [];
  if (!/\d/.test(digits)) return undefined;
  const value = Number(sign + digits.replaceAll(/[,_]/g, ''));
  if (!Number.isFinite(value)) return undefined;
  return unit === '%' ? value / 100 : value * (SIZES[unit.toLowerCase()] ?? 1);
}

const UNITS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** `830ms`, `12.4s`, `5m`, `1h30m`, `2d`, `1w`; a number alone is seconds. */
export function durationMsOf(text: string): number | undefined {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1_000;
  const parts = [...text.toLowerCase().matchAll(/(\d+(?:\.\d+)?)(ms|min|[smhdw])/gy)];
  if (parts.length === 0 || parts.map(([part]) => part).join('').length !== text.length) return undefined;
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * (UNITS_MS[unit ?? ''] ?? 0), 0);
}

/** `30d`, `12h`: so long ago. `2026-11-01`, `2026-11-01T12:00Z`: then; a day begins at midnight UTC. */
export function momentMsOf(text: string, nowMs: number): number | undefined {
  if (/^\d{4}-\d\d(-\d\d)?(T[\d:.]+(Z|[+-]\d\d:?\d\d)?)?$/i.test(text)) {
    const ms = Date.parse(text);
    return Number.isNaN(ms) ? undefined : ms;
  }
  if (/^\d+$/.test(text)) return undefined;
  const ago = durationMsOf(text);
  return ago === undefined ? undefined : nowMs - ago;
}
