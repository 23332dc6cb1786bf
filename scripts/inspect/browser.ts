// What the viewer step needs of playwright-core, which is an optional development dependency.

import { access } from 'node:fs/promises';

export interface Page {
  on(event: 'pageerror', listener: (error: Error) => void): void;
  on(event: 'console', listener: (message: { type(): string; text(): string }) => void): void;
  on(event: 'response', listener: (response: { status(): number; url(): string }) => void): void;
  goto(url: string, options?: { waitUntil?: 'load' | 'networkidle' }): Promise<unknown>;
  evaluate(script: string): Promise<unknown>;
  close(): Promise<void>;
}

export interface Browser {
  newPage(): Promise<Page>;
  close(): Promise<void>;
}

interface Playwright {
  readonly chromium: {
    launch(options: { executablePath: string; args: string[] }): Promise<Browser>;
  };
}

const CHROMIUMS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** A headless Chromium, or the sentence that says what is missing. */
export async function openBrowser(): Promise<Browser | string> {
  const name = 'playwright-core'; // a variable, so that types do not need it installed
  const playwright: Playwright | undefined = await import(name).catch(() => undefined); // said below
  if (playwright === undefined) return 'playwright-core is not installed';
  for (const executablePath of CHROMIUMS) {
    const found = await access(executablePath).then(
      () => true,
      () => false,
    );
    if (found) return playwright.chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  }
  return `no Chromium is installed (looked for ${CHROMIUMS.join(', ')})`;
}
