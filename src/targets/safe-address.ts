/** Parameters of an address that are keys wherever they stand. `key` alone is one only where Google's APIs read it. */
const SECRET_PARAMETER = /^(api[-_]?key|access[-_]?token|subscription-key)$/i;
const GOOGLE_METHOD = /:\w+$/;

/** An address without what must never be recorded: user, password and keys. */
export function withoutSecrets(address: string): string {
  if (!URL.canParse(address)) return address;
  const url = new URL(address);
  url.username = '';
  url.password = '';
  url.hash = '';
  const isGoogle = url.hostname.endsWith('.googleapis.com') || GOOGLE_METHOD.test(url.pathname);
  for (const name of [...url.searchParams.keys()]) {
    if (SECRET_PARAMETER.test(name) || (isGoogle && name === 'key')) url.searchParams.delete(name);
  }
  return url.href;
}
