import type { Outcome } from '../../../../src/server/api.ts';
import { outcomeShown } from '../../ui/outcomes.ts';

export type Rgb = readonly [number, number, number];

export interface CellLook {
  readonly ground: Rgb;
  readonly ink: Rgb;
  readonly glyph: string;
}

/** What the matrix is painted with: the tokens of the theme that is on. */
export interface MatrixColours {
  readonly page: Rgb;
  readonly text: Rgb;
  readonly quiet: Rgb;
  readonly accent: Rgb;
  /** With glyphs. */
  readonly large: Readonly<Record<Outcome, CellLook>>;
  /** Without: what failed is dark and what passed is light, so that they are told apart by their lightness. */
  readonly small: Readonly<Record<Outcome, Rgb>>;
}

export function readColours(token: (name: string) => string): MatrixColours {
  const of = (name: string) => parseHex(token(name));
  const page = of('--bg');
  const strength: Readonly<Record<Outcome, readonly [string, number]>> = {
    pass: ['--pass', 0.3],
    partial: ['--limit', 0.6],
    fail: ['--fail', 0.9],
    number: ['--accent', 0.4],
    error: ['--error', 0.9],
    unscored: ['--border-strong', 0.5],
    running: ['--accent', 0.25],
    interrupted: ['--limit', 0.35],
    missing: ['--border', 0.35],
  };
  const entries = <T>(make: (outcome: Outcome) => T) =>
    Object.fromEntries(
      (Object.keys(strength) as Outcome[]).map((outcome) => [outcome, make(outcome)]),
    ) as Record<Outcome, T>;
  return {
    page,
    text: of('--text'),
    quiet: of('--text-3'),
    accent: of('--accent'),
    large: entries((outcome) => {
      const { glyph, tone } = outcomeShown(outcome);
      const [ground, ink] =
        tone === 'quiet'
          ? ['--surface', '--text-3']
          : tone === 'live'
            ? ['--selected', '--accent']
            : [`--${tone}-bg`, `--${tone}`];
      return { glyph, ground: of(ground), ink: of(ink) };
    }),
    small: entries((outcome) => mix(of(strength[outcome][0]), page, strength[outcome][1])),
  };
}

/** The higher a number is, the more of the colour. */
export function heatColour({ accent, page }: Pick<MatrixColours, 'accent' | 'page'>, heat: number): Rgb {
  return mix(accent, page, 0.08 + (0.84 * heat) / 9);
}

export function mix(a: Rgb, b: Rgb, share: number): Rgb {
  const part = (at: 0 | 1 | 2) => Math.round(a[at] * share + b[at] * (1 - share));
  return [part(0), part(1), part(2)];
}

/** `#0b6e4f`, or `#fff` where the build made it shorter. What is none is black. */
export function parseHex(text: string): Rgb {
  const digits = /^\s*#([\da-f]{3}|[\da-f]{6})\s*$/i.exec(text)?.[1] ?? '000';
  const whole = digits.length === 3 ? digits.replace(/./g, '$&$&') : digits;
  const value = Number.parseInt(whole, 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

export function css([red, green, blue]: Rgb): string {
  return `rgb(${red} ${green} ${blue})`;
}
