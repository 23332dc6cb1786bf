/** What a place is called in the bar: the folder of a repository, of logs or of a bucket, without where it lies. */
export function placeName(place: string): string {
  const path = place
    .replace(/#.*$/, '')
    .replace(/\/+$/, '')
    .replace(/\/\.(git|holdfast)$/, '');
  return path.split('/').at(-1) || place;
}
