import type { Problem } from './api.ts';

/** What went wrong, for people: whoever opens an address in a browser is not to be shown JSON. */
export function errorPage({ code, message, hint }: Problem): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>Holdfast Studio</title>
    <style>
      body { max-width: 40rem; margin: 15vh auto 0; padding: 0 1.5rem; font: 14px/1.5 system-ui, sans-serif; }
      h1 { font-size: 1.1rem; }
      code { opacity: 0.75; }
    </style>
  </head>
  <body>
    <h1>${escaped(message)}</h1>
    <p>${escaped(hint)}</p>
    <p><a href="/runs">Runs</a> · <code>${escaped(code)}</code></p>
  </body>
</html>
`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
