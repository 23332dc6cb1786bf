export type {
  Bucket,
  ByteRange,
  FolderEntry,
  ListedObject,
  ListOptions,
  ObjectStat,
  Replacement,
  TaggedObject,
} from './bucket.ts';
export { bucketErrors } from './bucket-errors.ts';
export { bucketFolder } from './bucket-folder.ts';
export { directoryBucket } from './directory-bucket.ts';
export type { SeenFolder } from './directory-root.ts';
export { checkKey, folderOf } from './key.ts';
export { isBucketUrl, openBucket, openBucketFolder, seenBucket, storeInFolder } from './open-bucket.ts';
