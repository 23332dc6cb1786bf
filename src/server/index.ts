export { Assets } from './assets.ts';
export { createStudio } from './create-studio.ts';
export { type ServedStudio, serveStudio } from './serve.ts';
