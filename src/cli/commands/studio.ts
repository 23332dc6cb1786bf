import { Option } from 'commander';
import { ActionableError, messageOf, systemClock, systemRandom, toJson } from '../../base/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import { Assets, createStudio, type ServedStudio, serveStudio } from '../../server/index.ts';
import { type CacheFlags, cacheOption } from '../artifacts/artifact-options.ts';
import { cacheOf } from '../artifacts/artifact-place.ts';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { parsePort } from '../parse-values.ts';
import { type SourceFlags, sourceOptions } from '../results/run-sources.ts';
import { openStudioSources } from '../results/studio-sources.ts';
import { queueOption, type SharedFlags } from '../shared/shared-options.ts';
import { openShared } from '../shared/shared-place.ts';
import { openInBrowser } from '../studio/open-in-browser.ts';
import { sharedOf } from '../studio/shared-of.ts';
import { untilStopped } from '../studio/until-stopped.ts';
import type { Terminal } from '../terminal.ts';

interface StudioFlags extends SourceFlags, SharedFlags, CacheFlags {
  readonly port?: number;
  readonly host: string;
  readonly open?: true;
  readonly app?: string;
}

const PORT = 4400;

export const command = defineCommand<StudioFlags>({
  summary: 'Look at runs in the browser: compare, search and judge them',
  description: `Serves the Studio on this machine until it is stopped: all runs of the places that are named, else the results and the log directory of this
folder, with the runs under way; the shared runs of --bucket, and the warm cache. Reading needs nothing; writing notes needs the token in the address that it
prints.`,
  arguments: [
    ['[places...]', 'folders or buckets of logs (also of Inspect), single logs, repositories with results'],
  ],
  options: [
    new Option('--port <n>', `where to listen (default: ${PORT}, or any that is free)`).argParser(parsePort),
    new Option(
      '--host <address>',
      'listen on another address than this machine’s own; then everything needs the token',
    ).default('127.0.0.1'),
    new Option('--open', 'open it in the browser'),
    new Option('--app <dir>', 'where the app lies').hideHelp(),
    ...sourceOptions(),
    queueOption(),
    cacheOption(),
  ],
  examples: [
    ['holdfast studio', 'the results and logs of this folder'],
    ['holdfast studio ../inspect-logs --open', 'logs of Inspect, in the browser at once'],
    ['holdfast studio . ../other-project', 'two projects in one list'],
    ['holdfast studio --bucket s3://team/evals', 'also the shared runs of that bucket'],
  ],
  exits: {
    0: 'served until it was stopped',
    1: 'the port is taken, or git failed',
    2: 'a place that was named is not there',
  },
  async run({ args, flags, terminal, isGiven }) {
    const given = args[0] ?? [];
    const sources = await openStudioSources(typeof given === 'string' ? [given] : given, {
      flags,
      terminal,
      isGiven,
    });
    // One that the project names may be away for now: then the Studio says so where it shows shared runs.
    if (isGiven('bucket')) await openShared(flags, terminal);
    await using studio = createStudio({
      sources,
      clock: systemClock,
      random: systemRandom,
      isElsewhere: given.length > 0,
      shared: sharedOf(flags, terminal),
      artifacts: await cacheOf(flags, terminal),
    });
    const assets = await Assets.open(nodeDisk, flags.app);
    const onBug = (error: unknown) =>
      terminal.note(error instanceof Error ? (error.stack ?? error.message) : messageOf(error));
    const options = { studio, assets, random: systemRandom, host: flags.host, onBug };
    await using served = await serveSomewhere((port) => serveStudio({ ...options, port }), flags.port);
    announce(
      served,
      sources.map(({ place }) => place),
      { flags, terminal },
    );
    if (flags.open) await openInBrowser(served.urlWithToken, terminal);
    await untilStopped();
    return EXIT.ok;
  },
});

/** A port that somebody asked for is that port; the usual one gives way to any that is free. */
async function serveSomewhere(
  serve: (port: number) => Promise<ServedStudio>,
  asked: number | undefined,
): Promise<ServedStudio> {
  if (asked !== undefined) return serve(asked);
  try {
    return await serve(PORT);
  } catch (error) {
    if (!(error instanceof ActionableError && error.code === 'E_STUDIO_PORT')) throw error;
    return serve(0);
  }
}

function announce(
  { url, urlWithToken }: ServedStudio,
  places: readonly string[],
  { flags, terminal }: { readonly flags: StudioFlags; readonly terminal: Terminal },
): void {
  if (flags.json) {
    terminal.json(toJson({ url, urlWithToken, places }));
    return;
  }
  const { bold, dim } = terminal.style;
  terminal.line(`${bold('Studio')}  ${urlWithToken}`);
  for (const place of places) terminal.line(dim(`        ${place}`));
  if (places.length === 0) terminal.line(dim('        There are no results and no log directory here yet.'));
  terminal.line(dim('        Ctrl-C stops it.'));
}
