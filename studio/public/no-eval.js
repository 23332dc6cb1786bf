// zod would try `eval` once, to see whether it may. The server's policy forbids it, and the console would call the attempt an error;
// so it is told before any part of the app runs. A classic script, because the parts of the app run in no promised order.
globalThis.__zod_globalConfig = { jitless: true };
