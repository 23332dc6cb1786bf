/**
 * What `zod` is in the browser, wherever it is imported (see vite.config.ts). The server's policy forbids `eval`. zod would try it when the first
 * schema is made, which the console reports as a breach; so it is told not to, before anybody can make one.
 */
import { z } from 'zod/v4';

z.config({ jitless: true });

export { z };
