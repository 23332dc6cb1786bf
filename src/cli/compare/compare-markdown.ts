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
import { formatTime } from '../quantities.ts';
import {
  differenceWords,
  flipCounts,
  flipLines,
  intervalText,
  oneSidedWords,
  verdictWords,
} from './compare-words.ts';

/** How many of each list are shown, unless all are asked for. */
const SOME = { flips: 50, names: 20 };
const EVERYTHING = { flips: Infinity, names: Infinity };
const HOW_TO_SEE_ALL = 'all with --md --all';

/** A comparison for a pull request: what decides is in sight, the rest behind a fold. */
export function compareMarkdown(comparison: Comparison, { isAll }: { readonly isAll: boolean }): string[] {
  const most = isAll ? EVERYTHING : SOME;
  const lines: string[] = [];
  for (const [index, run] of comparison.after.entries()) {
    const letter = letterOf(index + 1);
    if (index > 0) lines.push('');
    lines.push(...headline(run, letter), '', ...runLines(comparison.before, run.run, letter));
    lines.push(...tableOf(run, letter), ...flipsOf(run, most), ...notesOf(run, letter, most));
  }
  return lines;
}

function headline(run: ComparedRun, letter: string): string[] {
  const leading = leadingFigure(run);
  const toDecide = leading && run.verdict === 'cannot tell' ? toDecideWords(leading) : '';
  return [
    `### ${plain(run.run.eval)}: ${verdictWords(run, letter)}`,
    '',
    leading ? plain(differenceWords(leading)) : 'No sample that both have was scored.',
    ...(toDecide === '' ? [] : ['', toDecide]),
  ];
}

function runLines(before: RunFacts, after: RunFacts, letter: string): string[] {
  const line = (name: string, { run, model, start, commit }: RunFacts) =>
    `- **${name}** \`${run}\` on ${plain(model)}, ${formatTime(start).slice(0, 16)}${commit === undefined ? '' : `, ${commit.slice(0, 8)}`}`;
  return [line('A', before), line(letter, after)];
}

function tableOf({ scores, completed, spent }: ComparedRun, letter: string): string[] {
  const figures = [...scores, ...(completed ? [completed] : []), ...spent];
  if (figures.length === 0) return [];
  return [
    '',
    `| | A | ${letter} | ${letter} − A | 95 % interval | p | |`,
    '|---|---:|---:|---:|---:|---:|---|',
    ...figures.map((figure) => `| ${cells(figure).join(' | ')} |`),
  ];
}

function cells(figure: FigureComparison): string[] {
  const lower = figure.betterWhen === 'lower' ? ' (lower is better)' : '';
  return [
    `${plain(figure.figure)}${lower}`,
    figureText(figure, figure.before),
    figureText(figure, figure.after),
    signedText(figure, figure.difference),
    intervalText(figure),
    probabilityText(figure),
    figure.verdict === 'cannot tell' ? figure.verdict : `**${figure.verdict}**`,
  ];
}

function flipsOf({ scores, completed }: ComparedRun, most: typeof SOME): string[] {
  return [...scores, ...(completed ? [completed] : [])].flatMap((figure) => {
    if (figure.flips.length === 0) return [];
    const lines = flipLines(figure.flips, { hasEpochs: figure.pairs > figure.samples });
    const left = lines.length - most.flips;
    return [
      '',
      `<details><summary>${plain(figure.figure)}: ${flipCounts(figure)}</summary>`,
      '',
      '| sample | A | now | |',
      '|---|---|---|---|',
      ...lines
        .slice(0, most.flips)
        .map(
          ({ sample, from, to, isBetter }) =>
            `| ${plain(sample)} | ${plain(from)} | ${plain(to)} | ${isBetter ? 'better' : 'worse'} |`,
        ),
      ...(left > 0 ? ['', `and ${left} more (${HOW_TO_SEE_ALL})`] : []),
      '',
      '</details>',
    ];
  });
}

function notesOf(
  { errors, onlyBefore, onlyAfter, warnings }: ComparedRun,
  letter: string,
  most: typeof SOME,
): string[] {
  const shown = { limit: most.names, howToSeeAll: HOW_TO_SEE_ALL };
  const lines = [
    ...warnings.map((said) => `Warning: ${said}.`),
    ...(errors.length > 0
      ? [`${errors.length} samples ended with an error and are left out of the scores.`]
      : []),
    ...(onlyBefore.length > 0 ? [`Only in A: ${oneSidedWords(onlyBefore, shown)}.`] : []),
    ...(onlyAfter.length > 0 ? [`Only in ${letter}: ${oneSidedWords(onlyAfter, shown)}.`] : []),
  ];
  return lines.length === 0 ? [] : ['', ...lines.map((line) => `- ${plain(line)}`)];
}

/** Text of users and models: nothing in it may become markup, or end a cell of a table. */
function plain(text: string): string {
  return text
    .replace(/[\\`*_[\]#|~>]/g, (one) => `\\${one}`)
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/@/g, '@\u200b');
}
