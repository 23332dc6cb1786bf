/** The smallest eval with a model: questions, a model that answers them, and a scorer. */
import { defineEval, includes, mockModel } from 'holdfast';

export default defineEval({
  name: 'capitals',
  data: [
    { id: 'france', input: 'What is the capital of France?', target: 'Paris' },
    { id: 'japan', input: 'What is the capital of Japan?', target: 'Tokyo' },
    { id: 'australia', input: 'What is the capital of Australia?', target: 'Canberra' },
  ],
  // A scripted model, so that the example needs no key; --model openai/gpt-5 takes its place.
  models: {
    'mock/atlas': mockModel({
      name: 'mock/atlas',
      answers: {
        'What is the capital of France?': 'Paris.',
        'What is the capital of Japan?': 'It is Tokyo.',
        '*': 'Sydney, I think.',
      },
    }),
  },
  target: { model: 'mock/atlas', system: 'Answer with the name of the city.' },
  scorers: [includes()],
  threshold: { accuracy: 0.6 },
});
