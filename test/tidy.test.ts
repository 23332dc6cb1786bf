/** The rules of the house, as data. Each has a reason beside it; a rule that no longer holds is changed here, in the open. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

/** room → rooms it may import, through their `index.ts`. `cli` may import all. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  base: [],
  disk: ['base'],
  bucket: ['base', 'disk'],
  process: ['base', 'disk'],
  git: ['base', 'disk', 'process'],
  log: ['base', 'disk', 'bucket'],
  journal: ['base', 'disk', 'bucket', 'log'],
  artifacts: ['base', 'disk', 'bucket'],
  bundle: ['base', 'disk', 'bucket', 'process', 'git'],
  stats: ['base'],
  // Runs in the browser, too: it knows what the Studio and its server say to each other, and nothing else.
  views: [],
  seal: ['base', 'disk', 'bucket', 'log', 'journal', 'stats'],
  code: ['base', 'disk'],
  reuse: ['base', 'disk', 'log', 'evals'],
  recover: ['base', 'disk', 'bucket', 'log', 'journal', 'seal', 'stats'],
  results: ['base', 'disk', 'bucket', 'git', 'log', 'stats'],
  sources: ['base', 'disk', 'bucket', 'git', 'log', 'journal', 'results', 'stats'],
  compare: ['base', 'log', 'stats'],
  export: ['base', 'disk', 'log', 'stats', 'results'],
  evals: ['base', 'stats'],
  config: ['base', 'evals'],
  datasets: ['base', 'disk', 'evals'],
  targets: ['base', 'disk', 'process', 'evals', 'log'],
  server: [
    'base',
    'disk',
    'artifacts',
    'log',
    'journal',
    'results',
    'sources',
    'compare',
    'stats',
    'views',
    // Reads shared runs as commands do: what is said of one is derived in one place.
    'cluster',
  ],
  runner: [
    'base',
    'disk',
    'bucket',
    'artifacts',
    'log',
    'journal',
    'seal',
    'datasets',
    'evals',
    'targets',
    'stats',
    'code',
    'reuse',
  ],
  cluster: ['base', 'disk', 'bucket', 'process', 'log', 'targets', 'journal', 'seal', 'runner'],
  launch: ['base', 'disk', 'bucket', 'process', 'config'],
  cli: [
    'base',
    'disk',
    'bucket',
    'artifacts',
    'bundle',
    'process',
    'git',
    'log',
    'journal',
    'seal',
    'recover',
    'datasets',
    'evals',
    'targets',
    'stats',
    'runner',
    'cluster',
    'code',
    'git',
    'reuse',
    'results',
    'config',
    'sources',
    'compare',
    'export',
    'views',
    'server',
    'cluster',
    'launch',
  ],
};

interface Ban {
  readonly what: RegExp;
  readonly why: string;
  /** Path prefixes where it is allowed. */
  readonly except: readonly string[];
  /** Looked for in the text with its comments: a reason beside it makes it fine. */
  readonly withComments?: boolean;
}

/** The clock itself, and a thread that has nothing of ours but a text. */
const OWN_TIME = ['src/base/', 'src/process/orphan-watch.ts'];
const BANS: readonly Ban[] = [
  {
    what: /from 'node:fs(\/promises)?'/,
    why: 'only disk/ touches the file system, so that tests can crash it',
    except: ['src/disk/'],
  },
  {
    what: /from 'node:child_process'/,
    why: 'only process/ starts programs, so that none outlives its end',
    except: [
      'src/process/',
      // Asks `ps` who a process is, below the room of processes.
      'src/disk/process-identity.ts',
      // Shares its own terminal with a run, to kill it before everybody's eyes.
      'src/cli/demo/',
    ],
  },
  {
    what: /\bset(Timeout|Interval)\(/,
    why: 'time is a port: Clock owns what happens later and again',
    except: [...OWN_TIME, 'src/base/', 'src/journal/', 'src/runner/'],
  },
  { what: /\bDate\.now\(|\bperformance\.now\(|new Date\(\)/, why: 'time is a port', except: OWN_TIME },
  { what: /\bMath\.random\(|\brandomUUID\(|\brandomBytes\(/, why: 'chance is a port', except: ['src/base/'] },
  {
    what: /\bprocess\.env\b/,
    why: 'only cli/ reads the environment, and passes values',
    except: [
      'src/cli/',
      // The client of S3 finds its server and its credentials there by itself; we look whether it will.
      'src/bucket/s3/s3-bucket.ts',
    ],
  },
  // Not the name of a file such as capture-console.ts, which keeps evals' own words off the screen.
  { what: /(?<!-)\bconsole\./, why: 'only cli/ speaks to people', except: [] },
  { what: /export \*/, why: 'a door shows what goes through it', except: [] },
  {
    what: /catch( \(\w+\))? \{\s*\}/,
    why: 'an error is never swallowed without a reason beside it',
    except: [],
    withComments: true,
  },
  { what: /\b(TODO|FIXME|XXX)\b/, why: 'open work lives in issues', except: [] },
];

const sources = globSync('src/**/*.ts', { cwd: ROOT }).sort();
const code = sources.filter((path) => !path.endsWith('.test.ts'));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const roomOf = (path: string) => /^src\/([^/]+)\//.exec(path)?.[1];

describe('rooms', () => {
  test('every folder of src is a room with a door', () => {
    const found = new Set(code.map(roomOf).filter((room) => room !== undefined));
    expect([...found].sort()).toEqual(Object.keys(ROOMS).sort());
    for (const room of found) {
      if (room !== 'cli')
        expect(existsSync(join(ROOT, `src/${room}/index.ts`)), `src/${room}/index.ts`).toBe(true);
    }
  });

  test('a room imports only the rooms it may, through their doors', () => {
    const broken: string[] = [];
    for (const path of sources) {
      const room = roomOf(path);
      if (!room) continue;
      for (const target of importsOf(path)) {
        const other = roomOf(target);
        if (other === room || (room === 'views' && target === 'src/server/api.ts')) continue;
        const isTest = path.endsWith('.test.ts');
        const isAllowed = other !== undefined && (isTest || ROOMS[room]?.includes(other));
        if (!isAllowed && !(isTest && other === undefined)) broken.push(`${path} imports ${target}`);
        else if (other !== undefined && target !== `src/${other}/index.ts`)
          broken.push(`${path} goes past the door to ${target}`);
      }
    }
    expect(broken).toEqual([]);
  });

  test('views run in the browser: they import types of the API, each other, and nothing else', () => {
    const broken = code
      .filter((path) => roomOf(path) === 'views')
      .flatMap((path) =>
        [...read(path).matchAll(/^(?:import|export)\s+(type\s+)?[^;]*?from\s*'([^']+)'/gm)]
          .filter(([, type, from = '']) => !(from.startsWith('./') || (type && from === '../server/api.ts')))
          .map(([, , from]) => `${path} imports ${from}`),
      );
    expect(broken).toEqual([]);
  });

  test('nothing in src imports a test', () => {
    expect(code.filter((path) => importsOf(path).some((target) => target.endsWith('.test.ts')))).toEqual([]);
  });

  test('no file is dead: all are reached from the library, the command line or a test', () => {
    const reached = new Set<string>();
    const visit = (path: string) => {
      if (reached.has(path)) return;
      reached.add(path);
      if (existsSync(join(ROOT, path))) importsOf(path).forEach(visit);
    };
    for (const root of ['src/index.ts', 'src/cli/main.ts']) visit(root);
    for (const command of globSync('src/cli/commands/*.ts', { cwd: ROOT })) visit(command);
    expect(code.filter((path) => !reached.has(path))).toEqual([]);
  });
});

describe('banned', () => {
  test.each(BANS)('$what: $why', ({ what, except, withComments }) => {
    const found = code.filter(
      (path) =>
        !except.some((prefix) => path.startsWith(prefix)) &&
        what.test(withComments ? read(path) : withoutComments(read(path))),
    );
    expect(found).toEqual([]);
  });
});

describe('documents', () => {
  const documents = globSync('docs/**/*.md', { cwd: ROOT });
  test('every error code has its entry in docs/errors.md, and every entry its code', () => {
    const ofBrowser = globSync('studio/src/**/*.{ts,tsx}', { cwd: ROOT }).filter(
      (path) => !path.includes('.test.'),
    );
    const used = new Set(
      [...code, ...ofBrowser]
        .flatMap((path) => read(path).match(/'E_[A-Z0-9_]+'/g) ?? [])
        .map((text) => text.slice(1, -1)),
    );
    const listed = new Set(read('docs/errors.md').match(/\bE_[A-Z0-9_]+\b/g));
    expect([...used].filter((name) => !listed.has(name)).sort(), 'not in docs/errors.md').toEqual([]);
    expect([...listed].filter((name) => !used.has(name)).sort(), 'no longer used').toEqual([]);
  });

  test('every link to a file of ours leads somewhere', () => {
    const broken: string[] = [];
    for (const path of ['README.md', 'CONTRIBUTING.md', ...documents]) {
      for (const [, target] of read(path).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)) {
        if (target && !existsSync(join(ROOT, dirname(path), target))) broken.push(`${path}: ${target}`);
      }
    }
    expect(broken).toEqual([]);
  });
});

/** Paths, from the root, of the files that a file imports. */
function importsOf(path: string): string[] {
  const found = read(path).matchAll(/(?:from|import\()\s*'(\.[^']+)'/g);
  return [...found].map(([, specifier]) => relative(ROOT, join(ROOT, dirname(path), specifier ?? '')));
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
}
