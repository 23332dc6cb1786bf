import { type LanePicture, MARK } from './lane-picture.ts';

export const MAP_HEIGHT = 22;
export const LANE_HEIGHT = 18;

/** Colours as the theme has them. */
export interface LaneColours {
  readonly model: string;
  readonly tool: string;
  readonly other: string;
  readonly tokens: string;
  readonly failure: string;
  readonly gap: string;
  readonly line: string;
}

export function readColours(element: HTMLElement): LaneColours {
  const style = getComputedStyle(element);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  return {
    model: colour('--role-assistant-rule'),
    tool: colour('--role-tool-rule'),
    other: colour('--border-strong'),
    tokens: colour('--text-3'),
    failure: colour('--error'),
    gap: colour('--limit'),
    line: colour('--border'),
  };
}

export function pictureHeight(picture: Pick<LanePicture, 'lanes'>): number {
  return MAP_HEIGHT + picture.lanes.length * LANE_HEIGHT;
}

/** The map on top: tokens as bars, failures as ticks. Below it a lane for each agent: model calls filled, tools outlined. */
export function paintLanes(
  context: CanvasRenderingContext2D,
  picture: LanePicture,
  colours: LaneColours,
): void {
  const { width } = picture;
  context.clearRect(0, 0, width, pictureHeight(picture));
  paintTokens(context, picture, colours);
  for (const lane of picture.lanes.keys()) {
    const top = MAP_HEIGHT + lane * LANE_HEIGHT;
    context.fillStyle = colours.line;
    context.fillRect(0, top + LANE_HEIGHT / 2, width, 1);
    paintLane(context, picture, { lane, top, colours });
  }
  for (let x = 0; x < width; x++) {
    if (picture.gaps[x] === 1) paintTick(context, { x, height: pictureHeight(picture), colour: colours.gap });
    if (picture.failures[x] === 1) paintTick(context, { x, height: 6, colour: colours.failure });
  }
}

function paintTokens(
  context: CanvasRenderingContext2D,
  { width, tokens }: LanePicture,
  { tokens: colour }: LaneColours,
): void {
  let most = 1;
  for (const value of tokens) most = Math.max(most, value);
  context.fillStyle = colour;
  for (let x = 0; x < width; x++) {
    const height = ((tokens[x] ?? 0) / most) * (MAP_HEIGHT - 8);
    if (height > 0) context.fillRect(x, MAP_HEIGHT - Math.max(1, height), 1, Math.max(1, height));
  }
}

interface LanePlace {
  readonly lane: number;
  readonly top: number;
  readonly colours: LaneColours;
}

/** Stretches of the same are one shape. */
function paintLane(
  context: CanvasRenderingContext2D,
  { width, marks }: LanePicture,
  { lane, top, colours }: LanePlace,
): void {
  for (let x = 0; x < width; ) {
    const mark = marks[lane * width + x] ?? 0;
    let end = x + 1;
    while (end < width && marks[lane * width + end] === mark) end++;
    const length = end - x;
    if ((mark & MARK.model) !== 0) {
      context.fillStyle = colours.model;
      context.fillRect(x, top + 4, length, LANE_HEIGHT - 8);
    }
    if ((mark & MARK.tool) !== 0) {
      context.fillStyle = colours.tool;
      // Beside a model call only its lower edge is seen, so that both are.
      const isAlone = (mark & MARK.model) === 0;
      context.fillRect(x, top + (isAlone ? 6 : 12), length, isAlone ? LANE_HEIGHT - 12 : 3);
    }
    if (mark === MARK.other) {
      context.fillStyle = colours.other;
      context.fillRect(x, top + 7, length, LANE_HEIGHT - 14);
    }
    x = end;
  }
}

function paintTick(
  context: CanvasRenderingContext2D,
  { x, height, colour }: { readonly x: number; readonly height: number; readonly colour: string },
): void {
  context.fillStyle = colour;
  context.fillRect(x, 0, 2, height);
}
