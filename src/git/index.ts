export {
  checkBranchName,
  commitOfPath,
  factsOf,
  isAncestor,
  moveRef,
  objectsLike,
  type Remote,
  type RepositoryFacts,
  type RepositorySettings,
  refsLike,
  settingsOf,
} from './ask-git.ts';
export { listBlobs, readBlob } from './blobs.ts';
export { CatFile } from './cat-file.ts';
export { changedFiles } from './changed-files.ts';
export { cloneBare } from './clone-bare.ts';
export { type CodeRevision, codeRevisionAt } from './code-revision.ts';
export { type Author, type ImportFile, importCommit, startImport } from './fast-import.ts';
export { findRepository, type Git, type GitPorts } from './git.ts';
export { isObjectId, missingObject, type ObjectId } from './object-id.ts';
export { peekBranch, repositoryAround } from './peek-branch.ts';
export { noPrefetch, type Prefetch, prefetchFrom } from './prefetch.ts';
export { fetchBranch, pushBranch, trackingRef } from './remote.ts';
export { parseTree, type TreeEntry, timeOfCommit, treeOfCommit } from './tree.ts';
export { countPacks, repackByGeometry, writeCommitGraph } from './upkeep.ts';
export { type TrackedFile, type WorkTree, workTreeAt } from './work-tree.ts';
