const KEY = 'holdfast.token';

/**
 * The token that allows to write: in the page when the server put it there, in the address (`#token=…`) when it printed a link. It is
 * taken out of the address, so that a link that is passed on does not carry it, and kept for the tab.
 */
export function takeToken(): string | undefined {
  const inPage = document.querySelector<HTMLMetaElement>('meta[name="holdfast-token"]')?.content;
  if (inPage) return inPage;
  const inAddress = /^#token=(.+)$/.exec(location.hash)?.[1];
  if (inAddress !== undefined) {
    history.replaceState(history.state, '', location.pathname + location.search);
    sessionStorage.setItem(KEY, decodeURIComponent(inAddress));
  }
  return sessionStorage.getItem(KEY) ?? undefined;
}
