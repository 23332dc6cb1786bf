import { z } from 'zod';
import { type Json, packageVersion, toJson } from '../base/index.ts';
import { errorAnswer } from './api/common.ts';
import { pin, pinName, ROUTES, type Route } from './api.ts';

/** The page that programs read: every route, what may be asked and what is answered. */
export function openApi(): Json {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [name, route] of Object.entries<Route>(ROUTES)) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: operation(name, route) };
  }
  return toJson({
    openapi: '3.1.0',
    info: { title: 'Holdfast Studio', version: packageVersion() },
    paths,
  });
}

const CONTENT = { json: 'application/json', lines: 'application/x-ndjson', events: 'text/event-stream' };

function operation(name: string, route: Route): object {
  const { summary, path, page, query, body, answer, kind } = route;
  const problem = {
    description: 'What went wrong',
    content: { 'application/json': { schema: schemaOf(errorAnswer) } },
  };
  return {
    operationId: name,
    summary: page === undefined ? summary : `${summary}. Also at ${page}, for whoever accepts JSON`,
    parameters: [...inPath(path), ...inQuery(query), ...(kind === 'events' ? [] : [pinned(route)])],
    ...(body && {
      requestBody: { required: true, content: { 'application/json': { schema: schemaOf(body) } } },
    }),
    responses: {
      200: { description: summary, content: { [CONTENT[kind]]: { schema: schemaOf(answer) } } },
      default: problem,
    },
  };
}

function inPath(path: string): readonly object[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function inQuery(query: z.ZodType): readonly object[] {
  const { properties = {}, required = [] } = schemaOf(query);
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}

/** Every answer can be had as it was at a commit of the results. */
function pinned(route: Route): object {
  return { name: pinName(route), in: 'query', required: false, schema: schemaOf(pin) };
}

/** As it is sent: numbers that JSON lacks are still tagged there. */
function schemaOf(schema: z.ZodType): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
}
