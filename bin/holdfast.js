#!/usr/bin/env node
// Plain old JavaScript on purpose: an old Node must be able to read this file and say one clear sentence.
var version = process.versions.node.split('.').map(Number);
var major = version[0];
var minor = version[1];
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    'holdfast needs Node 22.18 or newer, and this is Node ' +
      process.versions.node +
      '. Install a newer one (for example "npm install --global node@24") and try again.\n',
  );
  process.exitCode = 2;
} else {
  import('./main.js').catch((error) => {
    // biome-ignore lint/complexity/useOptionalChain: an old Node must be able to read this file
    process.stderr.write(String((error && error.stack) || error) + '\n');
    process.exitCode = 1;
  });
}
