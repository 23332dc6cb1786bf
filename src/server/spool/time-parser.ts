const MINUTE_UNITS = '2026-01-01T00:00'.length;
const REST = /^:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/** Parses times as `Date.parse` does; those of the same minute, which most are, without looking at all of it again. */
export class TimeParser {
  #minute = '';
  #zone = '';
  #minuteMs = Number.NaN;

  /** NaN for what is no time. */
  parse(text: string): number {
    const minute = text.slice(0, MINUTE_UNITS);
    const rest = text.slice(MINUTE_UNITS);
    if (!REST.test(rest)) return Date.parse(text);
    const zone = rest.slice(rest.endsWith('Z') ? -1 : -6);
    if (minute !== this.#minute || zone !== this.#zone) {
      this.#minute = minute;
      this.#zone = zone;
      this.#minuteMs = Date.parse(`${minute}:00${zone}`);
    }
    const seconds = Number(rest.slice(1, rest.length - zone.length));
    return seconds < 60 ? this.#minuteMs + Math.floor(seconds * 1_000 + 1e-6) : Date.parse(text);
  }
}
