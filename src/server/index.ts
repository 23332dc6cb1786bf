export { Assets } from './assets.ts';
export { samplesChosenIn } from './choose-samples.ts';
export { type CreateStudioOptions, createStudio } from './create-studio.ts';
export { exportAppDir } from './export/export-app.ts';
export { type ExportAccount, type ExportProgress, exportStudio } from './export/export-studio.ts';
export { type ServedStudio, serveStudio } from './serve.ts';
