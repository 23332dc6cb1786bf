/**
 * As public/no-eval.js, for a bundle that is one file: there the first import runs first. Where an app is in many files nobody promises
 * that.
 */
import { z } from 'zod';

z.config({ jitless: true });
