import { z } from 'zod';
import { textField } from '../app/search-fields.ts';

export const search = z.object({ run: textField, q: textField, score: textField, at: textField });
