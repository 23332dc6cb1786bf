// Pictures and files in messages and in what a tool gives back.

import { defineEval, includes, mockModel } from 'holdfast';

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const seeing = mockModel({ name: 'mock/seeing', answers: ['I see a yes.'] });

export default defineEval({
  name: 'pictures',
  data: [
    { id: 'picture', input: 'image', target: 'yes' },
    { id: 'file', input: 'file', target: 'yes' },
  ],
  models: { 'mock/seeing': seeing },
  target: async ({ input }, { generate, info }) => {
    info({ picture: `data:image/png;base64,${PIXEL}` });
    const part =
      input === 'image'
        ? { type: 'image', image: Buffer.from(PIXEL, 'base64'), mediaType: 'image/png' }
        : {
            type: 'file',
            data: Buffer.from('%PDF-1.4 nothing'),
            mediaType: 'application/pdf',
            filename: 'a.pdf',
          };
    const content = [{ type: 'text', text: 'What is this?' }, part];
    return (await generate({ model: 'mock/seeing', messages: [{ role: 'user', content }] })).text;
  },
  scorers: [includes()],
});
