/**
 * The server's policy forbids `eval`. zod would try it once to see, which the browser's console reports as a breach; so it is told not
 * to. This file is the first import of the app, before any schema is made.
 */
import { z } from 'zod';

z.config({ jitless: true });
