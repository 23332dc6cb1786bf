export { commitOfPath, identityIn, isBefore } from './ask-git.ts';
export { CatFile } from './cat-file.ts';
export { cloneBare } from './clone-bare.ts';
export { type Author, type ImportFile, importCommit } from './fast-import.ts';
export { findRepository, type Git, type GitPorts } from './git.ts';
export { isObjectId, type ObjectId } from './object-id.ts';
export { peekBranch } from './peek-branch.ts';
export { type PushOutcome, pushBranch, remoteUrlIn } from './push-branch.ts';
export { parseTree, type TreeEntry } from './tree.ts';
