// Keeps the chunks that come before the app is there; the app takes them, and puts its own function in the place of this one.
globalThis.holdfastEarly = [];
globalThis.holdfastChunk = (key, packed) => globalThis.holdfastEarly.push([key, packed]);
