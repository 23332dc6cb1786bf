/** Another model grades the answers. It is always named: a model never grades itself by accident. */
import { defineEval, mockModel, modelGraded } from 'holdfast';

export default defineEval({
  name: 'graded',
  data: [
    { id: 'sky', input: 'Why is the sky blue?' },
    { id: 'sea', input: 'Why is the sea salty?' },
  ],
  models: {
    'mock/poet': mockModel({
      name: 'mock/poet',
      answers: {
        'Why is the sky blue?': 'Because air scatters blue light more than red light.',
        '*': 'Because the moon wept into it.',
      },
    }),
    'mock/grader': mockModel({
      name: 'mock/grader',
      respond: ({ text }) =>
        text.includes('scatters') ? 'A physical reason is given.\nGRADE: C' : 'That is a myth.\nGRADE: I',
    }),
  },
  target: 'mock/poet',
  scorers: [modelGraded({ model: 'mock/grader', rubric: 'The answer gives a physical reason.' })],
});
