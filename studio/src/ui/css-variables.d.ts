import 'react';

declare module 'react' {
  /** Variables that styles refer to. */
  interface CSSProperties {
    [variable: `--${string}`]: string | number | undefined;
  }
}
