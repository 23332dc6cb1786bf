export interface TemplateWords {
  readonly label: string;
  readonly workers: string;
  readonly run: string;
  /** The command line of a worker, quoted for a shell. */
  readonly command: string;
}

/** Puts words in place of `{label}` and its like. `${label}` is a variable of a shell, and stays. */
export function fillTemplate(text: string, words: TemplateWords): string {
  return text.replace(
    /(?<!\$)\{(label|workers|run|command)\}/g,
    (_, name: keyof TemplateWords) => words[name],
  );
}
