export { filesNamed } from './file-paths.ts';
export { type Dataset, type OpenDatasetInput, openDataset, type Shard } from './open-dataset.ts';
