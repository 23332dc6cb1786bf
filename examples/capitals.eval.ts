import { defineEval, includes } from 'holdfast';

export default defineEval({
  name: 'capitals',
  data: [{ input: 'Capital of France?', target: 'Paris' }],
  target: async ({ input }, { generate }) => (await generate(input)).text,
  scorers: [includes()],
});
