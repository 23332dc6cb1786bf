import { z } from 'zod';

/** One thing that can be asked. `stream`: the answer is one JSON document a line, as it comes. */
export interface Route<Query extends z.ZodType = z.ZodType, Answer extends z.ZodType = z.ZodType> {
  readonly summary: string;
  readonly method: 'get' | 'post';
  /** `:name` stands for one part of the address. */
  readonly path: string;
  /** The page that shows it: at its address the same is answered to whoever asks for JSON. */
  readonly page?: string;
  /** Other pages that show it. */
  readonly pages?: readonly string[];
  /** What its pages show besides: members of what is answered there, and the routes that answer them. */
  readonly besides?: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body?: z.ZodType;
  readonly answer: Answer;
  readonly kind: 'json' | 'lines' | 'events';
}

type RouteGiven<Query extends z.ZodType, Answer extends z.ZodType> = Pick<
  Route<Query, Answer>,
  'summary' | 'path' | 'query' | 'answer'
> &
  Partial<Pick<Route, 'method' | 'page' | 'pages' | 'besides' | 'body' | 'kind'>>;

export function route<Query extends z.ZodType, Answer extends z.ZodType>(
  given: RouteGiven<Query, Answer>,
): Route<Query, Answer> {
  return { method: 'get', kind: 'json', ...given };
}

export const words = z.string().max(2_000).default('');
export const count = (most: number, usual: number) => z.coerce.number().int().min(0).max(most).default(usual);
export const page = { offset: count(100_000_000, 0), limit: count(1_000, 200) };
export const nothing = z.object({});
