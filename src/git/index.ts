export { commitOfPath, identityIn } from './ask-git.ts';
export { CatFile } from './cat-file.ts';
export { changedFiles } from './changed-files.ts';
export { type Author, type ImportFile, importCommit } from './fast-import.ts';
export { findRepository, type Git, type GitPorts } from './git.ts';
export { isObjectId, type ObjectId } from './object-id.ts';
export { parseTree, type TreeEntry } from './tree.ts';
