export { type Dataset, type OpenDatasetInput, openDataset } from './open-dataset.ts';
