// Takes names that nobody outside takes out of the doors of the rooms: `node scripts/tidy-doors.ts [room …]`.
// The rule is in test/tidy/house.test.ts. What is behind a door stays; the compiler and the tests say whether it is needed.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shownName, unusedDoorNames } from '../test/tidy/door-names.ts';
import { ROOT, roomOf } from '../test/tidy/source-files.ts';

const rooms = process.argv.slice(2);
const unused = Map.groupBy(unusedDoorNames(), ({ door }) => door);
for (const [door, entries] of unused) {
  if (rooms.length > 0 && !rooms.includes(roomOf(door) ?? '')) continue;
  const names = new Set(entries.map(({ name }) => name));
  const path = join(ROOT, door);
  writeFileSync(path, withoutNames(readFileSync(path, 'utf8'), names));
  process.stdout.write(`${door}: ${[...names].join(', ')}\n`);
}

function withoutNames(text: string, names: ReadonlySet<string>): string {
  return text.replace(
    /^(export\s+(?:type\s+)?)\{([^}]*)\}(\s*from\s*'[^']+';\n)/gm,
    (_, start, list, end) => {
      const entries = String(list)
        .split(',')
        .map((entry) => entry.trim())
        .filter((entry) => entry !== '');
      const kept = entries.filter((entry) => !names.has(shownName(entry)));
      return kept.length === 0 ? '' : `${start}{ ${kept.join(', ')} }${end}`;
    },
  );
}
