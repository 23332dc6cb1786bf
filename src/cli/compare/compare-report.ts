import {
  type ComparedRun,
  type Comparison,
  type FigureComparison,
  figureText,
  leadingFigure,
  letterOf,
  probabilityText,
  type RunFacts,
  signedText,
  toDecideWords,
} from '../../compare/index.ts';
import { counted, formatTime } from '../quantities.ts';
import type { Style } from '../style.ts';
import { type Column, cutEnd, oneLine, renderTable, widthOf, wrapWords } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import {
  differenceWords,
  type FlipLine,
  flipCounts,
  flipLines,
  intervalText,
  oneSidedWords,
  verdictWords,
} from './compare-words.ts';

/** How many of each list are shown, unless all are asked for. */
const SOME = { flips: 24, moves: 10, errors: 5, names: 8 };
const EVERYTHING = { flips: Infinity, moves: Infinity, errors: Infinity, names: Infinity };
const HOW_TO_SEE_ALL = '--all lists them';

interface Report extends Terminal {
  readonly most: typeof SOME;
}

/** A comparison for a terminal: the verdict first, then what flipped, then figures, then what to know about them. */
export function compareReport(
  comparison: Comparison,
  terminal: Terminal,
  { isAll }: { readonly isAll: boolean },
): string[] {
  const lines: string[] = [];
  for (const [index, run] of comparison.after.entries())
    lines.push(...headline(run, letterOf(index + 1), terminal));
  lines.push('', runsTable(comparison, terminal));
  for (const [index, run] of comparison.after.entries()) {
    const isSeveral = comparison.after.length > 1;
    const letter = letterOf(index + 1);
    if (isSeveral) lines.push('', terminal.style.bold(`A and ${letter}`));
    lines.push(...bodyOf(run, letter, { ...terminal, most: isAll ? EVERYTHING : SOME }));
  }
  return lines;
}

type Paint = (text: string) => string;

function paintOf({ good, bad, warn }: Style): Readonly<Record<ComparedRun['verdict'], Paint>> {
  return { better: good, worse: bad, 'cannot tell': warn };
}

function headline(run: ComparedRun, letter: string, { style, columns }: Terminal): string[] {
  const said = paintOf(style)[run.verdict](style.bold(verdictWords(run, letter)));
  const leading = leadingFigure(run);
  if (!leading) return [`${said}.`, '  No sample that both have was scored.'];
  const toDecide = run.verdict === 'cannot tell' ? toDecideWords(leading) : '';
  const below = [differenceWords(leading), ...(toDecide === '' ? [] : [toDecide])];
  return [`${said}.`, ...below.map((text) => `  ${wrapWords(text, columns - 2, 2)}`)];
}

const RUN_COLUMNS: readonly Column[] = [
  { title: '' },
  { title: 'run' },
  { title: 'eval', shrinks: true },
  { title: 'target', shrinks: true },
  { title: 'began' },
  { title: 'code' },
  { title: 'samples', align: 'right' },
];

function runsTable({ before, after }: Comparison, { style, columns }: Terminal): string {
  const runs = [before, ...after.map(({ run }) => run)];
  const rows = runs.map((facts, index) => runRow(facts, index, style));
  return renderTable(RUN_COLUMNS, rows, { width: columns, title: style.dim });
}

function runRow(
  { name, run, eval: ofEval, model, start, commit, samples, status }: RunFacts,
  index: number,
  style: Style,
): string[] {
  const id = run.slice(run.indexOf('-') + 1);
  const isWord = name.startsWith('@') || name.startsWith('tag:');
  const unfinished = status === 'started' ? style.warn(' unfinished') : '';
  return [
    style.bold(letterOf(index)),
    isWord ? `${id} ${style.dim(name)}` : id,
    ofEval,
    model,
    formatTime(start).slice(0, 16),
    commit?.slice(0, 8) ?? '',
    `${samples.completed}${samples.errored > 0 ? style.bad(` +${samples.errored} failed`) : ''}${unfinished}`,
  ];
}

function bodyOf(run: ComparedRun, letter: string, terminal: Report): string[] {
  return [
    ...flipsFirst(run.scores).flatMap((figure) => flipsOf(figure, terminal)),
    ...tableOf('Scores', [...run.scores, ...(run.completed ? [run.completed] : [])], letter, terminal),
    ...tableOf('Spent on a sample (lower is better)', run.spent, letter, terminal),
    ...errorsOf(run, letter, terminal),
    ...oneSided(run, letter, terminal),
    ...warningsOf(run, terminal),
  ];
}

function flipsFirst(figures: readonly FigureComparison[]): FigureComparison[] {
  return figures.toSorted((a, b) => Number(a.kind === 'number') - Number(b.kind === 'number'));
}

function flipsOf(figure: FigureComparison, terminal: Report): string[] {
  if (figure.flips.length === 0) return [];
  const isMoves = figure.kind === 'number';
  const lines = flipLines(figure.flips, { hasEpochs: figure.pairs > figure.samples });
  return [
    '',
    `${terminal.style.bold(isMoves ? 'Moves' : 'Flips')} of ${figure.figure}: ${flipCounts(figure)}`,
    ...(isMoves ? movesOf(lines, terminal) : flipGroups(lines, terminal)),
  ];
}

/** `− C → I  a, b, c and 4 more`: samples that went the same way, together. */
function flipGroups(lines: readonly FlipLine[], { style, columns, most }: Report): string[] {
  const groups = new Map<string, FlipLine[]>();
  for (const line of lines) {
    const key = `${line.from} → ${line.to}`;
    const group = groups.get(key);
    if (group) group.push(line);
    else groups.set(key, [line]);
  }
  return [...groups].map(([way, group]) => {
    const named = group.slice(0, most.flips).map(({ sample }) => sample);
    const left = group.length - named.length;
    const names = `${named.join(', ')}${left > 0 ? ` and ${left} more (${HOW_TO_SEE_ALL})` : ''}`;
    const mark = group[0]?.isBetter ? style.good('+') : style.bad('−');
    return hanging(`  ${mark} ${way}  `, names, columns);
  });
}

/** A text behind a title, with its further lines below its own beginning. */
function hanging(title: string, text: string, columns: number): string {
  const indent = widthOf(title);
  // A word as long as the title stands in its place while lines are broken.
  return title + wrapWords(`${'.'.repeat(indent - 1)} ${text}`, columns, indent).slice(indent);
}

function movesOf(lines: readonly FlipLine[], { style, columns, most }: Report): string[] {
  const rows = lines
    .slice(0, most.moves)
    .map(({ sample, from, to, isBetter }) => [
      isBetter ? style.good('  +') : style.bad('  −'),
      sample,
      from,
      style.dim('→'),
      to,
    ]);
  const plain: Column = { title: '' };
  const shape: Column[] = [plain, { title: '', shrinks: true }, { title: '', align: 'right' }, plain, plain];
  return [renderTable(shape, rows, { width: columns })];
}

function tableOf(
  title: string,
  figures: readonly FigureComparison[],
  letter: string,
  terminal: Terminal,
): string[] {
  if (figures.length === 0) return [];
  const { style, columns: width } = terminal;
  const columns: Column[] = [
    { title: '', shrinks: true },
    { title: 'A', align: 'right' },
    { title: letter, align: 'right' },
    { title: `${letter} − A`, align: 'right' },
    { title: '95 % interval', align: 'right' },
    { title: 'p', align: 'right' },
    { title: '' },
  ];
  const rows = figures.map((figure) => [
    figure.betterWhen === 'lower' && !['cost', 'tokens', 'time'].includes(figure.figure)
      ? `${figure.figure} (lower is better)`
      : figure.figure,
    figureText(figure, figure.before),
    figureText(figure, figure.after),
    signedText(figure, figure.difference),
    intervalText(figure),
    probabilityText(figure),
    paintOf(style)[figure.verdict](figure.verdict),
  ]);
  return [
    '',
    style.bold(title),
    renderTable(columns, rows, { width, title: style.dim }),
    ...leftOutOf(figures, terminal),
  ];
}

function leftOutOf(figures: readonly FigureComparison[], { style }: Terminal): string[] {
  const together = figures.filter(({ pAdjusted }) => pAdjusted !== undefined).length;
  const adjusted =
    together > 0 ? [style.dim(`p is adjusted for ${together} figures that are judged together`)] : [];
  const leftOut = figures
    .filter(({ leftOut, figure }) => leftOut.unscored > 0 && figure !== 'completed')
    .map(({ figure, leftOut }) =>
      style.dim(`${figure}: ${counted(leftOut.unscored, 'pair')} without a number on both sides left out`),
    );
  return [...adjusted, ...leftOut];
}

function errorsOf(
  { errors, completed }: ComparedRun,
  letter: string,
  { style, columns, most }: Report,
): string[] {
  if (errors.length === 0) return [];
  const lines = errors.slice(0, most.errors).map(({ id, epoch, before, after }) => {
    const where = before === undefined ? letter : after === undefined ? 'A' : 'both';
    const said = oneLine(`${id}${epoch > 1 ? ` (epoch ${epoch})` : ''}, ${where}: ${after ?? before ?? ''}`);
    return `  ${cutEnd(said, columns - 2)}`;
  });
  const left = errors.length - lines.length;
  return [
    '',
    `${style.bold('Errors')}: ${counted(errors.length, 'sample')} left out of the scores${completed ? `; ${flipCounts(completed)}` : ''}`,
    ...lines,
    ...(left > 0 ? [style.dim(`  and ${left} more (${HOW_TO_SEE_ALL})`)] : []),
  ];
}

function oneSided(
  { onlyBefore, onlyAfter }: ComparedRun,
  letter: string,
  { style, columns, most }: Report,
): string[] {
  const shown = { limit: most.names, howToSeeAll: HOW_TO_SEE_ALL };
  const lines = [
    ...(onlyBefore.length > 0 ? [`Only in A: ${oneSidedWords(onlyBefore, shown)}`] : []),
    ...(onlyAfter.length > 0 ? [`Only in ${letter}: ${oneSidedWords(onlyAfter, shown)}`] : []),
  ];
  return lines.length === 0 ? [] : ['', ...lines.map((line) => style.warn(wrapWords(line, columns, 2)))];
}

function warningsOf({ warnings, changes }: ComparedRun, { style, columns }: Terminal): string[] {
  const notes = changes.filter(({ isWarning }) => !isWarning).map(({ said }) => said);
  const lines = [
    ...warnings.map((said) => style.warn(wrapWords(`Warning: ${said}.`, columns, 2))),
    ...(notes.length > 0 ? [style.dim(wrapWords(`Also different: ${notes.join('; ')}.`, columns, 2))] : []),
  ];
  return lines.length === 0 ? [] : ['', ...lines];
}
