import { z } from 'zod';
import { artifactsPage, artifactUses, artifactView, mergeReportsPage, mergeReportView } from './artifacts.ts';
import { nothing, page, route, words } from './route.ts';

export const ARTIFACT_ROUTES = {
  artifacts: route({
    summary: 'The warm cache: all recipes of all units, and the generations of each',
    path: '/api/artifacts',
    page: '/artifacts',
    query: z.object({ q: words, ...page }),
    answer: artifactsPage,
  }),
  mergeReports: route({
    summary: 'Merges into the warm cache',
    path: '/api/artifacts/merges',
    page: '/artifacts/merges',
    query: z.object(page),
    answer: mergeReportsPage,
  }),
  mergeReport: route({
    summary: 'What became of each generation in a merge',
    path: '/api/artifacts/merges/:report',
    page: '/artifacts/merges/:report',
    query: nothing,
    answer: mergeReportView,
  }),
  artifact: route({
    summary: 'One recipe of a unit: its generations and where they come from',
    path: '/api/artifacts/r/:recipe',
    page: '/artifacts/r/:recipe',
    query: nothing,
    answer: artifactView,
  }),
  artifactUses: route({
    summary: 'The runs here that used generations of a recipe',
    path: '/api/artifacts/r/:recipe/uses',
    query: nothing,
    answer: artifactUses,
  }),
} as const;
