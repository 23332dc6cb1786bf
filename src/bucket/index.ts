export type { Bucket } from './bucket.ts';
export { directoryBucket } from './directory-bucket.ts';
export { checkKey, folderOf } from './key.ts';
export { isBucketUrl, openBucket } from './open-bucket.ts';
