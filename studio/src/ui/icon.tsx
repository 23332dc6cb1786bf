/** Drawn on 16 × 16 with a line of 1.5; each is decoration, the control that has it says what it is. */
const PATHS = {
  check: 'M3 8.5l3.2 3L13 4.5',
  close: 'M4 4l8 8M12 4l-8 8',
  copy: 'M6 6h7v7H6zM3 10V3h7',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.5 10.5L14 14',
  'chevron-down': 'M4 6l4 4 4-4',
  'chevron-up': 'M4 10l4-4 4 4',
  'chevron-right': 'M6 4l4 4-4 4',
  'chevron-left': 'M10 4L6 8l4 4',
  columns: 'M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  link: 'M6.5 9.5l3-3M7 4.5l1.5-1.5a3.2 3.2 0 0 1 4.5 4.5L11.5 9M9 11.5L7.5 13A3.2 3.2 0 0 1 3 8.5L4.5 7',
  external: 'M6 3H3v10h10v-3M9 3h4v4M13 3L7.5 8.5',
  sun: 'M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6zM8 1.5v1.2M8 13.3v1.2M1.5 8h1.2M13.3 8h1.2M3.4 3.4l.8.8M11.8 11.8l.8.8M12.6 3.4l-.8.8M4.2 11.8l-.8.8',
  moon: 'M13 9.6A5.6 5.6 0 0 1 6.4 3a5.2 5.2 0 1 0 6.6 6.6z',
  screen: 'M2 3h12v8H2zM5.5 13.5h5M8 11v2.5',
  keyboard: 'M1.8 4h12.4v8H1.8zM4.3 6.5h.01M7 6.5h.01M9.5 6.5h.01M12 6.5h.01M5 9.5h6',
  refresh: 'M13 8a5 5 0 1 1-1.6-3.7M13 2.5v3h-3',
  plus: 'M8 3v10M3 8h10',
  minus: 'M3 8h10',
  note: 'M3 3h10v7l-3 3H3zM10 13v-3h3',
  pane: 'M2 3h12v10H2zM10 3v10',
  'pane-left': 'M2 3h12v10H2zM6 3v10',
  tag: 'M2.5 2.5h5l6 6-5 5-6-6zM5.3 5.3h.01',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.5}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
