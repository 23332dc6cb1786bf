/** Secrets that are in use, and how to take them out of texts that will be kept. */
export interface Redactor {
  add(secret: string | undefined): void;
  redact(text: string): string;
}

/** Shorter values are too common in ordinary text to be cut out of it; no key is that short. */
const SECRET_LENGTH_MIN = 8;

export function createRedactor(): Redactor {
  const secrets = new Set<string>();
  return {
    add(secret) {
      if (secret !== undefined && secret.length >= SECRET_LENGTH_MIN) secrets.add(secret);
    },
    redact(text) {
      let result = text;
      for (const secret of secrets) result = result.replaceAll(secret, '[redacted]');
      return result;
    },
  };
}
