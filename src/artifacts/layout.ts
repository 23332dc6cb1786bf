import { join } from 'node:path';
import { fileNameFor } from '../disk/index.ts';
import type { Unit, UnitRecipe } from './recipe.ts';

/** Where what lies in a cache [ART-6]. */
export const UNITS = 'units';
export const MANIFEST_NAME = 'manifest.json';
export const FILES_NAME = 'files';
const RECIPE_LENGTH = 16;

/** The same below a cache, below an exported folder, and in the keys of a bucket. */
export function recipeFolder({ recipe, ...unit }: UnitRecipe): readonly string[] {
  return [...unitFolder(unit), recipeName(recipe)];
}

/** Around the recipes of a unit. */
export function unitFolder({ kind, key }: Unit): readonly string[] {
  return [UNITS, fileNameFor(kind), fileNameFor(key)];
}

/** The name of the folder of a recipe. The whole recipe is in every manifest below it. */
export function recipeName(recipe: string): string {
  return recipe.slice(0, RECIPE_LENGTH);
}

export function recipeDir(cacheDir: string, unit: UnitRecipe): string {
  return join(cacheDir, ...recipeFolder(unit));
}

export function generationDir(cacheDir: string, unit: UnitRecipe, generation: string): string {
  return join(recipeDir(cacheDir, unit), generation);
}

export function lockPath(cacheDir: string, recipe: string): string {
  return join(cacheDir, 'locks', `${recipe}.lock`);
}

/** Who holds the lock, for those who wait: nothing is decided by it. */
export function holderPath(cacheDir: string, recipe: string): string {
  return join(cacheDir, 'locks', `${recipe}.holder.json`);
}

export function damagedDir(cacheDir: string): string {
  return join(cacheDir, 'damaged');
}

export function reportsDir(cacheDir: string): string {
  return join(cacheDir, 'reports');
}
