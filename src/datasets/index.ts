export { type Dataset, type OpenDatasetInput, openDataset, type Shard } from './open-dataset.ts';
