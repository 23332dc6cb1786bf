/** Every question five times: how often is one try right, and how often one of three? */
import { defineEval, exact } from 'holdfast';

export default defineEval({
  name: 'epochs',
  data: [
    { id: 'even', input: '2, 4, 6, …', target: '8' },
    { id: 'squares', input: '1, 4, 9, …', target: '16' },
    { id: 'primes', input: '2, 3, 5, …', target: '7' },
  ],
  // A guesser that is right in some epochs only.
  target: ({ target = '', id }, { epoch }) => ((String(id).length + epoch) % 3 === 0 ? target : '42'),
  scorers: [exact()],
  epochs: { count: 5, reducer: ['mean', 'pass_at_3'] },
});
