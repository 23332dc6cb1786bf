import { z } from 'zod';
import { count, nothing, page, route } from './route.ts';
import {
  sharedFailures,
  sharedLeases,
  sharedPage,
  sharedQueue,
  sharedRunView,
  sharedWorkers,
} from './shared.ts';

const RUN = '/api/shared/:run';

export const SHARED_ROUTES = {
  shared: route({
    summary: 'Runs that workers on many machines work on',
    path: '/api/shared',
    page: '/shared',
    query: z.object({ offset: count(1_000_000, 0), limit: count(100, 20) }),
    answer: sharedPage,
  }),
  sharedRun: route({
    summary: 'How far a shared run is',
    path: RUN,
    page: '/shared/:run',
    besides: { workers: 'sharedWorkers', leases: 'sharedLeases', failures: 'sharedFailures' },
    query: nothing,
    answer: sharedRunView,
  }),
  sharedWorkers: route({
    summary: 'The workers of a shared run, and what each has',
    path: `${RUN}/workers`,
    query: z.object(page),
    answer: sharedWorkers,
  }),
  sharedLeases: route({
    summary: 'The jobs of a shared run that somebody has',
    path: `${RUN}/leases`,
    query: z.object(page),
    answer: sharedLeases,
  }),
  sharedFailures: route({
    summary: 'What failed in a shared run, was set aside, or was lost with its worker',
    path: `${RUN}/failures`,
    query: z.object(page),
    answer: sharedFailures,
  }),
  sharedQueue: route({
    summary: 'How much of a shared run the queue holds',
    path: `${RUN}/queue`,
    query: nothing,
    answer: sharedQueue,
  }),
} as const;
