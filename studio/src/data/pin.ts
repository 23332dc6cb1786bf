/**
 * The commit of the results that the address of the page names. It stays what it was for as long as the page is loaded: every
 * link within the app keeps it, and the one that leaves it behind loads the page anew. So no answer of one is shown under the other.
 */
export function pinInAddress(): string | undefined {
  return new URLSearchParams(location.search).get('at') ?? undefined;
}
